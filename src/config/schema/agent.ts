import * as z from 'zod/mini';
import { TOOL_NAMES } from '../../core/assignment.js';
import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';

/** Drivers that the file format knows and this version does not have. */
export const DRIVERS_TO_COME: readonly string[] = ['acp'];

const DRIVERS = ['echo', 'openai', 'command'] as const;
const MIN_SECONDS = 0.001;

export function agentSchema() {
  return z
    .discriminatedUnion(
      'driver',
      [echoSchema(), openaiSchema(), commandSchema()],
      `one of ${DRIVERS.join(', ')}`,
    )
    .check(leaf.meta({ about: 'who answers', byDefault: { driver: DEFAULTS.agent.driver } }));
}

function echoSchema() {
  return leaf.section(
    { driver: driver('echo') },
    { about: 'repeats what it is told; needs no key' },
  );
}

function openaiSchema() {
  const { openai } = DEFAULTS.agent;
  return leaf.section(
    {
      driver: driver('openai'),
      base_url: leaf.httpUrl({
        about: 'any endpoint that speaks the OpenAI chat completions API',
        byDefault: openai.base_url,
        example: 'http://127.0.0.1:11434/v1',
      }),
      api_key: leaf.bearer({
        about: 'its key; keep it in .env and write ${NAME} here',
        example: '${OPENAI_API_KEY}',
      }),
      model: leaf.requiredText({ about: 'the model to ask for', example: 'gpt-4.1-mini' }),
      system_prompt: leaf.text({ about: 'what the agent is told before every conversation' }),
      timeout_seconds: leaf.seconds(
        {
          about: 'how long the model may be silent before the request is given up',
          byDefault: openai.timeout_seconds,
        },
        MIN_SECONDS,
      ),
      max_retries: leaf.count(
        { about: 'tries after the first one', byDefault: openai.max_retries },
        { min: 0, max: 100 },
      ),
      max_tokens: leaf.count(
        { about: 'longest answer; default: the endpoint decides', example: 4096 },
        { min: 1, max: 10_000_000 },
      ),
      temperature: leaf.decimal(
        { about: 'how freely it answers; default: the endpoint decides', example: 0.7 },
        { min: 0, max: 2 },
      ),
      history_messages: history(openai.history_messages),
      tools: leaf.choices(TOOL_NAMES, {
        about: `what it may use, with all rights of the gateway's account: ${TOOL_NAMES.join(', ')}`,
        byDefault: openai.tools,
        example: [...TOOL_NAMES],
      }),
    },
    { about: 'an OpenAI-compatible endpoint' },
  );
}

function commandSchema() {
  const { command } = DEFAULTS.agent;
  return leaf.section(
    {
      driver: driver('command'),
      command: z.nonoptional(
        leaf.argv({
          about: 'a program that reads the message on stdin and prints the answer',
          example: ['./answer.sh'],
        }),
        'a list of texts, first the program (no shell is involved)',
      ),
      cwd: leaf.text({
        about: 'its working directory, relative to the profile; default: the profile',
      }),
      timeout_seconds: leaf.seconds(
        { about: 'how long one answer may take', byDefault: command.timeout_seconds },
        MIN_SECONDS,
      ),
      history_messages: history(command.history_messages),
    },
    { about: 'a program per turn' },
  );
}

function driver<const Word extends (typeof DRIVERS)[number]>(word: Word) {
  return z.literal(word).check(leaf.meta({ about: `who answers: ${DRIVERS.join(', ')}` }));
}

function history(byDefault: number) {
  return leaf.count(
    { about: 'how many of the newest messages of a session the agent is given', byDefault },
    { min: 0, max: 10_000 },
  );
}
