import type { WorkUnit } from '../../core/work.js';
import type { AbandonCause } from '../processes/plan-reap.js';
import { Interruption } from './turn.js';

export interface RunningTurn {
  readonly unit: WorkUnit;
  /** a session that later messages continue: a drain marks it */
  readonly isStored: boolean;
  readonly sessionKey: string;
  /** aborted when its caller leaves */
  readonly callerSignal: AbortSignal;
}

/** The turns in progress, each with the switch that cuts it off. */
export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn & { readonly controller: AbortController }>();
  readonly #onChange: () => void;
  readonly #idleWaiters = new Set<() => void>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get units(): readonly WorkUnit[] {
    return [...this.#turns.values()].map((turn) => turn.unit);
  }

  get storedSessions(): readonly string[] {
    return [...this.#turns.values()].flatMap(({ isStored, unit }) =>
      isStored && unit.session !== undefined ? [unit.session] : [],
    );
  }

  /** Runs `work` as a turn that counts until it has settled; `abandon` gives it up. */
  async track<Result>(
    turn: RunningTurn,
    work: (signal: AbortSignal, abandon: (cause: AbandonCause) => void) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const abandon = (cause: AbandonCause) => controller.abort(new Interruption(cause));
    const leave = () => abandon('caller-left');
    if (turn.callerSignal.aborted) leave();
    turn.callerSignal.addEventListener('abort', leave);
    this.#turns.set(turn.unit.id, { ...turn, controller });
    this.#onChange();
    try {
      return await work(controller.signal, abandon);
    } finally {
      turn.callerSignal.removeEventListener('abort', leave);
      this.#turns.delete(turn.unit.id);
      this.#onChange();
      this.#tellIdle();
    }
  }

  /** Gives up what runs in a conversation. @returns how many turns that were */
  abandon(sessionKey: string, cause: AbandonCause): number {
    const running = [...this.#turns.values()].filter(
      (turn) => turn.sessionKey === sessionKey && !turn.controller.signal.aborted,
    );
    for (const { controller } of running) controller.abort(new Interruption(cause));
    return running.length;
  }

  interruptAll(): void {
    for (const { controller } of this.#turns.values()) controller.abort(new Interruption('drain'));
  }

  /** Resolves once no turn runs; rejects with the signal's reason. */
  idle(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#turns.size === 0) return resolve();
      if (signal.aborted) return reject(signal.reason);
      const settle = () => {
        signal.removeEventListener('abort', giveUp);
        this.#idleWaiters.delete(settle);
        resolve();
      };
      const giveUp = () => {
        this.#idleWaiters.delete(settle);
        reject(signal.reason);
      };
      this.#idleWaiters.add(settle);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #tellIdle(): void {
    if (this.#turns.size > 0) return;
    for (const settle of [...this.#idleWaiters]) settle();
  }
}
