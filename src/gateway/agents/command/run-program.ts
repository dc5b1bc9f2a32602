import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Scope } from '../../../containment/index.js';
import { clampTimerMs } from '../../../core/durations.js';
import { errnoOf } from '../../../core/errors.js';
import type { ProgramFault } from './errors.js';
import { OutputText } from './output-text.js';
import { guardGroup } from './process-group.js';

export interface ProgramRun {
  /** of this turn: whatever the program starts is in it */
  readonly scope: Scope;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

export type ProgramEnd =
  | { readonly kind: 'answer'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'fault'; readonly fault: ProgramFault };

const MAX_ANSWER_CHARS = 1024 * 1024;
const KEPT_STDERR_CHARS = 4096;
/** between the polite signal and the certain one, and what is given to the certain one */
const ENDING = { graceMs: 500, giveUpMs: 10_000, lookEveryMs: 20 } as const;
/** the kernel takes a program of a turn before it takes the gateway */
const OOM_SCORE_ADJ = 500;
/** what a grandchild that holds the pipes may still say after the program itself has ended */
const PIPE_LINGER_MS = 250;

/** Why a program that runs is ended by us. */
type Cut = 'time-out' | 'too-long' | 'aborted';

/** Runs one program in its own session; when this resolves its leader has ended. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const spawned = await start(run);
  if ('errno' in spawned) return { kind: 'fault', fault: spawned };
  const output = new OutputText(MAX_ANSWER_CHARS);
  const stderr = { text: '' };
  const cut = await watch(spawned, { run, output, stderr });
  const rest = output.end();
  if (rest !== '') run.onText(rest);
  return judgeEnd(spawned, { cut, output, stderr: stderr.text, timeoutMs: run.timeoutMs });
}

type NotStarted = Extract<ProgramFault, { kind: 'not-started' }>;

/** Its own session: a signal to its group reaches what it started, and never us. */
async function start(run: ProgramRun): Promise<ChildProcessWithoutNullStreams | NotStarted> {
  try {
    const { cwd, env } = run;
    // stdio is three pipes, which the general type does not say
    const child = run.scope.spawn({
      argv: [run.program, ...run.args],
      cwd,
      env,
      stdio: 'pipe',
      oomScoreAdj: OOM_SCORE_ADJ,
    }) as ChildProcessWithoutNullStreams;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // a signal that came too late is no news
    child.on('error', () => {});
    return child;
  } catch (thrown) {
    // a missing directory is reported with the same errno as a missing program
    const cwdMissing = run.cwd !== undefined && !existsSync(run.cwd);
    return { kind: 'not-started', errno: errnoOf(thrown) ?? 'unknown', cwdMissing };
  }
}

interface Watched {
  readonly run: ProgramRun;
  readonly output: OutputText;
  readonly stderr: { text: string };
}

/** Feeds, reads and, where needed, ends the program. @returns why we ended it, if we did */
async function watch(
  child: ChildProcessWithoutNullStreams,
  { run, output, stderr }: Watched,
): Promise<Cut | undefined> {
  let cut: Cut | undefined;
  const end = (reason: Cut) => {
    const isFirst = cut === undefined;
    cut ??= reason;
    if (isFirst) void run.scope.end(ENDING).then(() => run.scope.dispose());
  };
  const abort = () => end('aborted');
  const unguard = guardGroup(child.pid ?? 0);
  const timer = setTimeout(() => end('time-out'), clampTimerMs(run.timeoutMs));
  run.signal.addEventListener('abort', abort);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdout.on('data', (bytes: Buffer) => {
    if (cut !== undefined) return;
    const text = output.take(bytes);
    if (text !== '') run.onText(text);
    if (output.isCut) end('too-long');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr.text = (stderr.text + text).slice(-KEPT_STDERR_CHARS);
  });
  // a program may end without reading its input
  child.stdin.on('error', () => {});
  child.stdin.end(run.input);
  if (run.signal.aborted) abort();
  await exited;
  clearTimeout(timer);
  run.signal.removeEventListener('abort', abort);
  unguard();
  await releasePipes(child);
  // what it left running on purpose keeps the place
  if (cut === undefined) run.scope.dispose();
  return cut;
}

/** A grandchild may hold the pipes for ever: after a moment we let go of them (field case B21). */
async function releasePipes({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<void> {
  const drop = () => {
    stdout.destroy();
    stderr.destroy();
  };
  const timer = setTimeout(drop, PIPE_LINGER_MS);
  // destroyed before their end: that is the moment's end, not a fault
  await Promise.allSettled([finished(stdout), finished(stderr)]);
  clearTimeout(timer);
}

interface Ending {
  readonly cut: Cut | undefined;
  readonly output: OutputText;
  readonly stderr: string;
  readonly timeoutMs: number;
}

function judgeEnd(
  child: ChildProcessWithoutNullStreams,
  { cut, output, stderr, timeoutMs }: Ending,
): ProgramEnd {
  if (cut === 'time-out') return { kind: 'fault', fault: { kind: 'time-out', timeoutMs, stderr } };
  if (cut === undefined && child.signalCode !== null) {
    return { kind: 'fault', fault: { kind: 'signal', signal: child.signalCode, stderr } };
  }
  if (cut === undefined && child.exitCode !== 0) {
    return { kind: 'fault', fault: { kind: 'exit-code', code: child.exitCode ?? 1, stderr } };
  }
  return { kind: 'answer', text: output.text, isCut: output.isCut };
}
