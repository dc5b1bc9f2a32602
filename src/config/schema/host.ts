import * as z from 'zod/mini';
import { PROFILE_NAME_PATTERN } from '../../core/names.js';
import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';
import { profileSchema } from './profile.js';
import { restartSchema } from './restart.js';

/** The host file after its shape was checked: still in the file's words and units. */
export type HostFile = z.infer<ReturnType<typeof hostSchema>>;

const MIN_SECONDS = 0.001;

/** Built on first use: importing the module must cost nothing. */
export function hostSchema() {
  built ??= buildHostSchema();
  return built;
}

let built: ReturnType<typeof buildHostSchema> | undefined;

function buildHostSchema() {
  return leaf.section(
    {
      supervisor: z.exactOptional(supervisorSchema()),
      gateway: z.exactOptional(gatewaySchema()),
      defaults: z.exactOptional(profileSchema()),
    },
    { about: 'the host: config.yaml' },
  );
}

function supervisorSchema() {
  return leaf.section(
    {
      restart: z.exactOptional(restartSchema()),
      start: z.exactOptional(startSchema()),
      stop: z.exactOptional(stopSchema()),
      storm: z.exactOptional(stormSchema()),
      log: z.exactOptional(logSchema()),
      status_page: z.exactOptional(
        leaf.section(
          {
            enabled: leaf.flag({
              about: 'whether the control API serves a status page',
              byDefault: DEFAULTS.supervisor.status_page.enabled,
            }),
          },
          { about: 'the status page' },
        ),
      ),
      control: z.exactOptional(controlSchema()),
      watch_thread: leaf.flag({
        about:
          "a thread beside the supervisor's own loop that keeps evidence while it stands still; always there under a service manager with a watchdog",
        byDefault: DEFAULTS.supervisor.watch_thread,
      }),
    },
    { about: 'the parent of the gateways' },
  );
}

function startSchema() {
  const { start } = DEFAULTS.supervisor;
  return leaf.section(
    {
      deadline_seconds: leaf.seconds(
        {
          about: 'how long a gateway may take to be ready without saying anything',
          byDefault: start.deadline_seconds,
        },
        MIN_SECONDS,
      ),
      max_lease_seconds: leaf.seconds({
        about: 'most time that one phase message may add to the deadline',
        byDefault: start.max_lease_seconds,
      }),
      max_total_seconds: leaf.seconds({
        about: 'most time that a start may take in all',
        byDefault: start.max_total_seconds,
      }),
      concurrency: leaf.count(
        {
          about: 'profiles that may be starting at once; 0 = as many as there are cores',
          byDefault: start.concurrency,
        },
        { min: 0, max: 10_000 },
      ),
      jitter_seconds: leaf.seconds({
        about: 'a start waits for a random part of this',
        byDefault: start.jitter_seconds,
      }),
    },
    { about: 'how profiles are started' },
  );
}

function stopSchema() {
  return leaf.section(
    {
      kill_after_seconds: leaf.seconds({
        about: 'time between the polite signal after the drain and SIGKILL',
        byDefault: DEFAULTS.supervisor.stop.kill_after_seconds,
      }),
    },
    { about: 'how profiles are stopped' },
  );
}

function stormSchema() {
  const { storm } = DEFAULTS.supervisor;
  return leaf.section(
    {
      deaths: leaf.count(
        { about: 'more deaths than this raise the alarm', byDefault: storm.deaths },
        { min: 1 },
      ),
      window_seconds: leaf.seconds(
        { about: 'within this time', byDefault: storm.window_seconds },
        MIN_SECONDS,
      ),
    },
    { about: 'when restarts are alarming' },
  );
}

function logSchema() {
  const { log } = DEFAULTS.supervisor;
  return leaf.section(
    {
      level: leaf.oneOf(['debug', 'info', 'warn', 'error'], {
        about: 'least severity that is logged',
        byDefault: log.level,
      }),
      max_size: leaf.size({
        about: 'size at which a log file is rotated',
        byDefault: log.max_size,
      }),
      files: leaf.count(
        { about: 'log files kept per profile', byDefault: log.files },
        { min: 1, max: 1000 },
      ),
      lines_per_second: leaf.count(
        {
          about: 'lines of a gateway kept per second; more are dropped and counted',
          byDefault: log.lines_per_second,
        },
        { min: 1 },
      ),
    },
    { about: 'logs of the supervisor and of the output of gateways' },
  );
}

function restartLoopGuardSchema() {
  const { restart_loop_guard: guard } = DEFAULTS.gateway;
  return leaf.section(
    {
      max_restarts: leaf.count(
        {
          about: 'starts in a row that find cut-off turns: then none is taken up; 0 = off',
          byDefault: guard.max_restarts,
        },
        { min: 0, max: 50 },
      ),
      window_seconds: leaf.seconds({
        about: 'starts within this time are always in a row',
        byDefault: guard.window_seconds,
      }),
      max_gap_seconds: leaf.seconds({
        about: 'starts further apart than this are not in a row',
        byDefault: guard.max_gap_seconds,
      }),
    },
    { about: 'when taking up cut-off conversations makes restarts go round in circles' },
  );
}

function controlSchema() {
  return leaf.section(
    {
      listen: leaf.text(
        {
          about: 'TCP address of the control API besides its unix socket; needs a token',
          example: '127.0.0.1:8640',
        },
        'an address and a port such as 127.0.0.1:8640 or "[::1]:8640"',
      ),
      token: leaf.bearer({
        about: 'bearer token for the TCP address; ${NAME} is looked up in .env of the home',
        example: '${CONTROL_TOKEN}',
      }),
    },
    { about: 'the control API' },
  );
}

function gatewaySchema() {
  const expected = 'a list of profile names';
  return leaf.section(
    {
      multiplex_profiles: leaf.flag({
        about: 'whether the gateway of profile default serves other profiles too, in one process',
        byDefault: DEFAULTS.gateway.multiplex_profiles,
      }),
      multiplex_profile_allowlist: z.exactOptional(
        z
          .array(
            z.string(expected).check(z.regex(PROFILE_NAME_PATTERN, 'a profile name')),
            expected,
          )
          .check(
            leaf.meta({
              about: 'the profiles it serves; left out: all of them; empty: none but its own',
              example: ['coder'],
            }),
          ),
      ),
      multiplex_max_turns: leaf.count(
        {
          about: 'turns that each profile of such a gateway may run at once; more wait',
          byDefault: DEFAULTS.gateway.multiplex_max_turns,
        },
        { min: 1, max: 10_000 },
      ),
      restart_loop_guard: z.exactOptional(restartLoopGuardSchema()),
    },
    { about: 'settings of gateways that concern several profiles' },
  );
}
