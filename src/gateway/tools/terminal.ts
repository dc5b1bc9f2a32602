import { clampTimerMs, formatDuration, secondsToMs } from '../../core/durations.js';
import type { GatewayProcesses } from '../processes/open-processes.js';
import type { StartOrder } from '../processes/process-facts.js';
import { ToolRefusal } from '../processes/refusal.js';
import { isOver, type ToolProcess } from '../processes/tool-process.js';
import type { OpenTurn } from '../processes/turn-claims.js';
import type { Tool, ToolCall, ToolInput } from './port.js';
import {
  checkNames,
  readFlag,
  readNumber,
  readOptionalText,
  readText,
  readTexts,
} from './read-input.js';
import { findSelfRestart, type SelfFacts } from './self-restart.js';
import { showOutput } from './show-output.js';
import { showProcess } from './show-process.js';

export interface TerminalParts {
  readonly processes: GatewayProcesses;
  /** where commands run that name no directory */
  readonly cwd: string;
  readonly secrets: readonly string[];
  /** what a command must not end */
  readonly self: SelfFacts;
}

/** Shell commands: waited for, or left to run. */
export function createTerminalTool(parts: TerminalParts): Tool {
  const { limits, watch } = parts.processes;
  const maxSeconds = limits.waitMaxMs / 1000;
  const properties = {
    command: { type: 'string', description: 'what /bin/sh -c is given' },
    cwd: { type: 'string', description: `directory; default: ${parts.cwd}` },
    timeout_seconds: {
      type: 'number',
      description: `foreground only: it is ended after this; at most ${maxSeconds}, which is the default`,
    },
    background: {
      type: 'boolean',
      description: 'return at once with a process_id for the process tool',
    },
    keep_stdin: {
      type: 'boolean',
      description: 'background only: keep its input open for process write',
    },
    notify_on_complete: {
      type: 'boolean',
      description: 'background only: tell when it has ended; default true',
    },
    watch_patterns: {
      type: 'array',
      items: { type: 'string' },
      description: `background only: plain texts; tell when a line of the output holds one; at most ${watch.maxPatterns}`,
    },
    persist_on_release: {
      type: 'boolean',
      description: 'background only: it outlives its turn even if that is abandoned',
    },
  };
  const names = [...Object.keys(properties), NOT_OFFERED];
  return {
    name: 'terminal',
    description:
      'Runs a shell command. Without background it waits and returns the output and the exit code.',
    parameters: { type: 'object', properties, required: ['command'], additionalProperties: false },
    run: async (input, call) => {
      checkNames(input, names);
      if (readFlag(input, NOT_OFFERED)) throw new ToolRefusal(NO_TERMINAL);
      const turn = parts.processes.claims.find(call.turnId);
      if (turn === undefined) throw new ToolRefusal('the turn is over: nothing is started for it');
      const order = readOrder(input, parts);
      refuseSelfRestart(order.command, parts.self);
      return order.isBackground
        ? runInBackground(parts, order, turn)
        : await runInForeground(parts, order, {
            turn,
            call,
            timeoutMs: readTimeoutMs(input, parts),
          });
    },
  };
}

/** Models know it from elsewhere; not described to them, because there is none here. */
const NOT_OFFERED = 'pty';
const NO_TERMINAL =
  'there is no pseudo-terminal here, programs see a pipe: leave pty out, and give the program ' +
  'the option with which it asks no questions';

function readOrder(input: ToolInput, { processes, cwd }: TerminalParts): StartOrder {
  const { limits, watch } = processes;
  const command = readText(input, 'command');
  if (Buffer.byteLength(command) > limits.commandBytes) {
    throw new ToolRefusal(
      `expected a command of at most ${limits.commandBytes} bytes: write it to a file and run that`,
    );
  }
  const isBackground = readFlag(input, 'background');
  return {
    command,
    isBackground,
    cwd: readOptionalText(input, 'cwd') ?? cwd,
    keepsStdin: isBackground && readFlag(input, 'keep_stdin'),
    persistOnRelease: isBackground && readFlag(input, 'persist_on_release'),
    notifyOnComplete: isBackground && readFlag(input, 'notify_on_complete', true),
    watchPatterns: readTexts(input, 'watch_patterns', {
      items: watch.maxPatterns,
      chars: watch.patternChars,
    }),
  };
}

/** @throws ToolRefusal */
function refuseSelfRestart(command: string, self: SelfFacts): void {
  const found = findSelfRestart(command, self);
  if (found === undefined) return;
  throw new ToolRefusal(
    `${found} would end the gateway that runs you, and this turn with it: ask the person you work for to say /restart`,
  );
}

function readTimeoutMs(input: ToolInput, { processes }: TerminalParts): number {
  const { waitMaxMs } = processes.limits;
  const seconds = readNumber(input, 'timeout_seconds', { min: 0.001, max: waitMaxMs / 1000 });
  return seconds === undefined ? waitMaxMs : secondsToMs(seconds);
}

function runInBackground(parts: TerminalParts, order: StartOrder, turn: OpenTurn): string {
  const process = parts.processes.registry.start(order, turn);
  return JSON.stringify(showProcess(process, parts.secrets));
}

interface Foreground {
  readonly turn: OpenTurn;
  readonly call: ToolCall;
  readonly timeoutMs: number;
}

async function runInForeground(
  parts: TerminalParts,
  order: StartOrder,
  { turn, call, timeoutMs }: Foreground,
): Promise<string> {
  const { registry, limits } = parts.processes;
  const process = registry.start(order, turn);
  const isLate = !(await hasEndedWithin(process, timeoutMs, call.signal));
  if (isLate) {
    await registry.end(process, 'time-out', limits.termGraceMs);
    // what it printed last; who survived a kill is not waited for
    if (isOver(process.look())) await process.ended(call.signal);
  }
  const output = showOutput(process.output?.tail(limits.outputChars) ?? '', parts.secrets);
  const timedOut = isLate ? { timed_out: `ended after ${formatDuration(timeoutMs)}` } : {};
  const { command: _, ...shown } = showProcess(process, parts.secrets);
  registry.forget(process);
  return JSON.stringify({ ...shown, ...timedOut, output });
}

/** @throws the signal's reason */
export async function hasEndedWithin(
  process: ToolProcess,
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), clampTimerMs(limitMs));
  try {
    await process.ended(AbortSignal.any([signal, limit.signal]));
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    clearTimeout(timer);
  }
}
