import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** Longer command lines say nothing more and may be megabytes. */
const MAX_COMMAND_LENGTH = 300;

export interface ProcessSummary {
  readonly pid: number;
  /** as started, cut at 300 characters; a comm in brackets where there is none */
  readonly command: string;
}

/** What can be known at once about a signal: Node does not say who sent it (supervision.md 5.9). */
export interface SignalWitness {
  readonly signal: string;
  readonly self: ProcessSummary;
  readonly parent: ProcessSummary;
  readonly uptimeMs: number;
  readonly load: readonly number[];
  /** a debugger or strace holds us: it may be the sender, or the reason for being slow */
  readonly tracerPid: number;
  readonly invocationId: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Synchronous, five small files of /proc and no process: an older way, with `ps`, held the loop for
 * three seconds.
 * @param mask takes secrets out of command lines
 */
export function witnessSignal(
  signal: string,
  env: Environment,
  mask: (text: string) => string = (text) => text,
): SignalWitness {
  const summary = (pid: number) => ({ pid, command: mask(commandOf(pid)) });
  return {
    signal,
    self: summary(process.pid),
    parent: summary(process.ppid),
    uptimeMs: Math.round(process.uptime() * 1000),
    load: loadavg().map((one) => Math.round(one * 100) / 100),
    tracerPid: tracerOf(readText('/proc/self/status')),
    invocationId: env.INVOCATION_ID,
  };
}

/** 0: nobody, or nobody tells. */
export function tracerOf(status: string): number {
  return Number(/^TracerPid:\t(\d+)$/m.exec(status)?.[1] ?? 0);
}

/** `cmdline` has a zero byte after each word; a kernel thread and a zombie have none at all. */
export function renderCommand(cmdline: string, comm: string): string {
  const words = cmdline.replace(/\0+$/, '').replaceAll('\0', ' ');
  const flat = words.replace(/\p{Cc}+/gu, ' ');
  if (flat === '') return comm.trim() === '' ? 'unknown' : `[${comm.trim()}]`;
  return flat.length <= MAX_COMMAND_LENGTH ? flat : `${flat.slice(0, MAX_COMMAND_LENGTH - 1)}…`;
}

function commandOf(pid: number): string {
  return renderCommand(readText(`/proc/${pid}/cmdline`), readText(`/proc/${pid}/comm`));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
