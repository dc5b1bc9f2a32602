import { setTimeout as delay } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { OpenaiSettings } from '../../../core/assignment.js';
import { clampTimerMs } from '../../../core/durations.js';
import { maskSecrets } from '../../../core/secret.js';
import type { GatewayLog } from '../../log.js';
import type { Tool } from '../../tools/port.js';
import type { AgentDriver, AgentRequest } from '../port.js';
import { toTurnError } from './errors.js';
import { judgeRetry } from './retry.js';
import { type ModelAnswer, type ModelQuestion, streamOnce } from './stream.js';
import { runToolLoop } from './tool-loop.js';

export interface OpenaiContext {
  readonly profile: string;
  readonly secrets: readonly string[];
  readonly log: GatewayLog;
  readonly tools: readonly Tool[];
}

/** Streaming chat completions of any endpoint that is compatible with OpenAI's. */
export function createOpenaiDriver(settings: OpenaiSettings, context: OpenaiContext): AgentDriver {
  let client: Promise<OpenAI> | undefined;
  return {
    historyMessages: settings.historyMessages,
    run: async (request) => {
      client ??= createClient(settings);
      const { tools, log } = context;
      const run = { client: await client, settings, context, request };
      return runToolLoop({
        tools,
        request,
        log,
        ask: ({ messages, mayCall, onDelta }) =>
          askWithRetries(
            { ...run, request: { ...request, onDelta } },
            { messages, tools, mayCall },
          ),
      });
    },
  };
}

interface Run {
  readonly client: OpenAI;
  readonly settings: OpenaiSettings;
  readonly context: OpenaiContext;
  readonly request: AgentRequest;
}

async function askWithRetries(run: Run, question: ModelQuestion): Promise<ModelAnswer> {
  const { client, settings, context, request } = run;
  for (let tries = 1; ; tries++) {
    const result = await streamOnce(client, { settings, request, question });
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
