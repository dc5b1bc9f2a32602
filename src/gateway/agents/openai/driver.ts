import { setTimeout as delay } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { OpenaiSettings } from '../../../core/assignment.js';
import { clampTimerMs } from '../../../core/durations.js';
import { maskSecrets } from '../../../core/secret.js';
import type { GatewayLog } from '../../log.js';
import type { AgentAnswer, AgentDriver, AgentRequest } from '../port.js';
import { toTurnError } from './errors.js';
import { judgeRetry } from './retry.js';
import { streamOnce } from './stream.js';

export interface OpenaiContext {
  readonly profile: string;
  readonly secrets: readonly string[];
  readonly log: GatewayLog;
}

/** Streaming chat completions of any endpoint that is compatible with OpenAI's. */
export function createOpenaiDriver(settings: OpenaiSettings, context: OpenaiContext): AgentDriver {
  let client: Promise<OpenAI> | undefined;
  return {
    historyMessages: settings.historyMessages,
    run: async (request) => {
      client ??= createClient(settings);
      return runWithRetries(await client, { settings, context, request });
    },
  };
}

interface Run {
  readonly settings: OpenaiSettings;
  readonly context: OpenaiContext;
  readonly request: AgentRequest;
}

async function runWithRetries(client: OpenAI, run: Run): Promise<AgentAnswer> {
  const { settings, context, request } = run;
  for (let tries = 1; ; tries++) {
    const result = await streamOnce(client, settings, request);
    if (result.kind === 'answer') return result.answer;
    const { fault, hasShown } = result;
    const { maxRetries } = settings;
    const facts = { fault, hasShown, tries, maxRetries, now: Date.now(), random: Math.random() };
    const verdict = judgeRetry(facts);
    if (verdict.kind === 'final') {
      const { profile, secrets } = context;
      throw toTurnError({ profile, settings, secrets, fault, tries });
    }
    const { reason, afterMs } = verdict;
    const shown = maskSecrets(reason, context.secrets);
    context.log.warn('asking the model again', {
      turn: request.turnId,
      tries,
      afterMs,
      reason: shown,
    });
    await delay(clampTimerMs(afterMs), undefined, { signal: request.signal }).catch(() => {});
    request.signal.throwIfAborted();
  }
}

/** Loaded at the first turn: a start must not wait for it. */
async function createClient(settings: OpenaiSettings): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  const { apiKey, baseUrl } = settings;
  return new OpenAI({
    baseURL: baseUrl,
    // every field the library would otherwise take from the environment is said here
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    logLevel: 'off',
    // retries are ours: their number and their waits are logged and told
    maxRetries: 0,
    // silence is ours too; this only bounds a try that never gets an answer's head
    timeout: clampTimerMs(settings.timeoutMs + 1000),
    ...(apiKey === undefined ? { defaultHeaders: { Authorization: null } } : {}),
  });
}
