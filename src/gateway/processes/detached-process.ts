import { setTimeout as delay } from 'node:timers/promises';
import { clampTimerMs } from '../../core/durations.js';
import { livenessOf } from '../../store/process-table.js';
import type { HeldScope } from './held-scope.js';
import type { ProcessLimits } from './limits.js';
import type { ProcessFacts, ProcessState, ToolProcess, WriteOutcome } from './tool-process.js';

export interface DetachedParts {
  readonly facts: ProcessFacts;
  readonly scope: HeldScope;
  readonly limits: ProcessLimits;
}

/** A process of an earlier gateway: status and kill work, its output went with that gateway. */
export class DetachedProcess implements ToolProcess {
  readonly facts: ProcessFacts;
  readonly output = undefined;
  readonly ranOutOfMemory = false;
  readonly scope: HeldScope;
  readonly #limits: ProcessLimits;
  #state: ProcessState = { kind: 'running' };

  constructor({ facts, scope, limits }: DetachedParts) {
    this.facts = facts;
    this.scope = scope;
    this.#limits = limits;
  }

  get isOccupied(): boolean {
    return this.look().kind === 'running' || this.scope.isHeld;
  }

  look(): ProcessState {
    if (this.#state.kind === 'running' && livenessOf(this.facts.identity) === 'dead') {
      this.#state = { kind: 'gone', at: Date.now() };
    }
    return this.#state;
  }

  async checkTree(): Promise<void> {
    if (this.look().kind !== 'running') await this.scope.check();
  }

  async ended(signal: AbortSignal): Promise<void> {
    const everyMs = clampTimerMs(this.#limits.sweepMs);
    while (this.look().kind === 'running') {
      signal.throwIfAborted();
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  async write(): Promise<WriteOutcome> {
    return 'closed';
  }

  async end(by: string, graceMs: number): Promise<void> {
    const { killSettleMs, lookEveryMs } = this.#limits;
    const wasGone = this.look().kind === 'gone';
    const pids = await this.scope.end({ graceMs, giveUpMs: killSettleMs, lookEveryMs });
    if (pids.length > 0) this.#state = { kind: 'stuck', by, pids };
    else if (!wasGone) this.#state = { kind: 'killed', by, at: Date.now() };
  }
}
