import type { Containment } from '../../../containment/index.js';
import type { CommandSettings } from '../../../core/assignment.js';
import type { AgentDriver, AgentRequest } from '../port.js';
import { turnEnvironment } from './environment.js';
import { toTurnError } from './errors.js';
import { type ProgramEnd, runProgram } from './run-program.js';

export interface CommandContext {
  readonly profile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly containment: () => Containment;
}

/** A program per turn: the message on its standard input, the answer on its standard output. */
export function createCommandDriver(
  settings: CommandSettings,
  context: CommandContext,
): AgentDriver {
  const [program = '', ...args] = settings.argv;
  return {
    historyMessages: settings.historyMessages,
    run: async (request) => {
      const end = await runProgram({
        scope: context.containment().openScope(`${request.turnId}.agent`),
        program,
        args,
        cwd: settings.cwd,
        env: environmentOf(context, request),
        input: request.messages.at(-1)?.content ?? '',
        timeoutMs: settings.timeoutMs,
        onText: request.onDelta,
        signal: request.signal,
      });
      request.signal.throwIfAborted();
      return toAnswer(end, { ...context, program, cwd: settings.cwd });
    },
  };
}

function environmentOf(context: CommandContext, request: AgentRequest): Record<string, string> {
  return turnEnvironment(context.env, {
    profile: context.profile,
    sessionId: request.sessionId,
    turnId: request.turnId,
    history: request.messages.slice(0, -1),
  });
}

type Failed = Omit<Parameters<typeof toTurnError>[0], 'fault'>;

function toAnswer(end: ProgramEnd, failed: Failed) {
  if (end.kind === 'fault') throw toTurnError({ ...failed, fault: end.fault });
  // a program does not count tokens, and made-up numbers would be believed
  return { text: end.text, finishReason: end.isCut ? 'length' : 'stop', usage: undefined } as const;
}
