import * as z from 'zod/mini';
import { DEFAULTS } from '../defaults.js';
import { agentSchema } from './agent.js';
import * as leaf from './leaves.js';
import { platformsSchema } from './platforms.js';
import { envSchema, ownsSchema, readySchema } from './program.js';
import { restartSchema } from './restart.js';
import { watchdogSchema } from './watchdog.js';

/** A profile file after its shape was checked: still in the file's words and units. */
export type ProfileFile = z.infer<ReturnType<typeof profileSchema>>;
export type RestartFile = NonNullable<ProfileFile['restart']>;

/** Built on first use: importing the module must cost nothing. */
export function profileSchema() {
  built ??= buildProfileSchema();
  return built;
}

let built: ReturnType<typeof buildProfileSchema> | undefined;

function buildProfileSchema() {
  return leaf.section(
    {
      enabled: leaf.flag({
        about: 'whether the supervisor runs this profile',
        byDefault: DEFAULTS.enabled,
      }),
      essential: leaf.flag({
        about: 'whether the supervisor ends, with its exit code, when this profile ends for good',
        byDefault: DEFAULTS.essential,
      }),
      agent: z.exactOptional(agentSchema()),
      platforms: z.exactOptional(platformsSchema()),
      limits: z.exactOptional(limitsSchema()),
      restart: z.exactOptional(restartSchema()),
      drain_seconds: leaf.seconds({
        about: 'how long a stop waits for turns in progress',
        byDefault: DEFAULTS.drain_seconds,
      }),
      jobs_drain_seconds: leaf.seconds({
        about: 'least time that a stop gives to scheduled jobs, whatever drain_seconds says',
        byDefault: DEFAULTS.jobs_drain_seconds,
      }),
      after_turn_seconds: leaf.seconds({
        about: 'how long a restart that a turn asks for waits for that turn; 0 = not at all',
        byDefault: DEFAULTS.after_turn_seconds,
      }),
      interrupt_grace_seconds: leaf.seconds({
        about: 'how long interrupted turns may take to let go when the drain is over',
        byDefault: DEFAULTS.interrupt_grace_seconds,
      }),
      turns: z.exactOptional(turnsSchema()),
      resume: z.exactOptional(resumeSchema()),
      watchdog: z.exactOptional(watchdogSchema()),
      user: leaf.text({
        about:
          'the account that the gateway and its tools run as, with a group after a colon if not its own; only a supervisor that is root can start it as another than its own',
        example: 'bot',
      }),
      command: leaf.argv({
        about: 'a program to supervise instead of the built-in gateway; never run by a shell',
        example: ['/usr/bin/python3', 'bot.py'],
      }),
      cwd: leaf.text({
        about: 'working directory of `command`, relative to the profile; default: the profile',
        example: '/srv/bot',
      }),
      ready: z.exactOptional(readySchema()),
      env: z.exactOptional(envSchema()),
      owns: z.exactOptional(ownsSchema()),
      env_files: leaf.texts(
        {
          about: 'files besides `.env` in which ${NAME} is looked up, relative to the profile',
          example: ['/run/secrets/bot.env'],
        },
        'a list of file names',
      ),
    },
    { about: 'a profile: profiles/NAME/config.yaml' },
  );
}

function turnsSchema() {
  const { turns } = DEFAULTS;
  return leaf.section(
    {
      inactivity_seconds: leaf.seconds({
        about: 'a turn without any sign of life for this long is given up; 0 = never',
        byDefault: turns.inactivity_seconds,
      }),
      warning_seconds: leaf.seconds({
        about: 'its chat is warned after this much of that silence; 0 = never',
        byDefault: turns.warning_seconds,
      }),
      note_seconds: leaf.seconds({
        about: 'a chat that sees no word for this long is told that it still works; 0 = never',
        byDefault: turns.note_seconds,
      }),
    },
    { about: 'when a turn is silent' },
  );
}

function resumeSchema() {
  return leaf.section(
    {
      freshness_seconds: leaf.seconds({
        about: 'a conversation cut off longer ago waits for its next message; 0 = never too long',
        byDefault: DEFAULTS.resume.freshness_seconds,
      }),
    },
    { about: 'how conversations that a restart cut off are taken up' },
  );
}

function limitsSchema() {
  return leaf.section(
    {
      memory: leaf.size({ about: 'most memory of the gateway and its tools', example: '512MiB' }),
      tool_memory: leaf.size({
        about:
          'most memory of one tool command with all that it starts; default: half of the host, at most 4 GiB',
        example: '2GiB',
      }),
      processes: leaf.count(
        { about: 'most processes and threads', example: 200 },
        { min: 1, max: 4_194_304 },
      ),
      cpu: leaf.decimal(
        { about: 'most processor time, in cores', example: 0.5 },
        { min: 0.01, max: 4096 },
      ),
    },
    { about: 'ceilings for the profile; default: none' },
  );
}
