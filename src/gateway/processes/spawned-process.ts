import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { clampTimerMs } from '../../core/durations.js';
import type { HeldScope } from './held-scope.js';
import type { ProcessLimits } from './limits.js';
import { PipeReader } from './pipe-reader.js';
import { RollingOutput } from './rolling-output.js';
import type { ProcessFacts, ProcessState, ToolProcess, WriteOutcome } from './tool-process.js';
import { waitFor } from './wait-for.js';

export interface SpawnedParts {
  readonly facts: ProcessFacts;
  /** its standard output is a pipe */
  readonly child: ChildProcess;
  readonly scope: HeldScope;
  readonly limits: ProcessLimits;
  /** never shown in its output */
  readonly secrets: readonly string[];
  /** new output, in the order it came; also what is read after the exit */
  readonly onText: (text: string) => void;
  /** once: it has ended and its output is complete */
  readonly onEnd: () => void;
}

/** A process that we started: we read its output and are told of its end. */
export class SpawnedProcess implements ToolProcess {
  readonly facts: ProcessFacts;
  readonly output: RollingOutput;
  readonly #child: ChildProcess;
  readonly scope: HeldScope;
  readonly #limits: ProcessLimits;
  readonly #exited: Promise<void>;
  readonly #complete: Promise<void>;
  #ranOutOfMemory = false;
  #killedBy: string | undefined;
  #ending: Promise<void> | undefined;
  #state: ProcessState = { kind: 'running' };

  constructor(parts: SpawnedParts) {
    const { facts, child, scope, limits } = parts;
    this.facts = facts;
    this.output = new RollingOutput(limits.outputChars, parts.secrets);
    this.#child = child;
    this.scope = scope;
    this.#limits = limits;
    // a program may end without reading its input, and a signal that comes too late is no news
    child.stdin?.on('error', () => {});
    child.on('error', () => {});
    this.#exited = new Promise((resolve) => {
      if (hasExited(child)) resolve();
      else child.once('exit', () => resolve());
    });
    this.#complete = this.#follow(parts);
  }

  get ranOutOfMemory(): boolean {
    return this.#ranOutOfMemory;
  }

  get isOccupied(): boolean {
    return this.look().kind === 'running' || this.scope.isHeld;
  }

  look(): ProcessState {
    if (this.#state.kind === 'running' && hasExited(this.#child)) {
      const { exitCode: code, signalCode: signal } = this.#child;
      const at = Date.now();
      this.#state =
        this.#killedBy === undefined
          ? { kind: 'exited', code, signal, at }
          : { kind: 'killed', by: this.#killedBy, at };
    }
    return this.#state;
  }

  async checkTree(): Promise<void> {
    if (this.look().kind !== 'running') await this.scope.check();
  }

  ended(signal: AbortSignal): Promise<void> {
    return waitFor(this.#complete, signal);
  }

  async write(text: string, isLast: boolean): Promise<WriteOutcome> {
    const { stdin } = this.#child;
    if (stdin === null || !stdin.writable || this.look().kind !== 'running') return 'closed';
    if (stdin.writableLength > this.#limits.writeChars) return 'full';
    await writeTo(stdin, text, isLast);
    return 'written';
  }

  end(by: string, graceMs: number): Promise<void> {
    this.#ending ??= this.#end(by, graceMs).finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  async #follow({ child, limits, onText, onEnd }: SpawnedParts): Promise<void> {
    const show = (text: string) => {
      if (text !== '') onText(text);
    };
    const stdout = child.stdout as Readable;
    const reader = new PipeReader(stdout, (bytes) => show(this.output.take(bytes)), limits);
    // the end of the pipe is not the end of the process, and the other way round
    await this.#exited;
    this.look();
    // the kernel's own counter, before its place is given back
    this.#ranOutOfMemory = this.scope.oomKills() > 0;
    child.stdin?.destroy();
    await reader.finish();
    show(this.output.end());
    await this.scope.check();
    onEnd();
  }

  async #end(by: string, graceMs: number): Promise<void> {
    if (this.look().kind === 'running') this.#killedBy ??= by;
    const { killSettleMs, lookEveryMs } = this.#limits;
    const pids = await this.scope.end({ graceMs, giveUpMs: killSettleMs, lookEveryMs });
    if (pids.length > 0) {
      this.#state = { kind: 'stuck', by, pids };
      return;
    }
    // its death was seen from outside; the event that says so is on its way
    await settleWithin(this.#exited, killSettleMs);
    if (this.look().kind === 'stuck') this.#state = { kind: 'killed', by, at: Date.now() };
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** A reader that does not read must not hold the turn: what the pipe does not take waits here. */
async function writeTo(stdin: Writable, text: string, isLast: boolean): Promise<void> {
  const written = new Promise<void>((resolve) => {
    if (isLast) stdin.end(text, () => resolve());
    else stdin.write(text, () => resolve());
  });
  await settleWithin(written, WRITE_WAIT_MS);
}

const WRITE_WAIT_MS = 500;

async function settleWithin(promise: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, clampTimerMs(limitMs));
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
