import { monotonicMs } from '../../core/monotonic.js';
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
  /** the chat that it answers to; undefined: nobody waits there */
  readonly chat: Chat | undefined;
}

export interface Chat {
  readonly platform: string;
  readonly chatId: string | undefined;
}

export interface TurnSwitches {
  readonly signal: AbortSignal;
  readonly abandon: (cause: AbandonCause) => void;
  readonly touched: (atMs: number) => void;
}

/** One unit of work as a drain sees it. */
export interface ObservedWork {
  readonly unit: WorkUnit;
  /** since when it gave no sign of life, on the steady clock */
  readonly activeAtMs: number;
  /** it was cut off already and has not let go yet */
  readonly isGivenUp: boolean;
}

interface Entry extends RunningTurn {
  readonly controller: AbortController;
  activeAtMs: number;
}

/** The turns in progress, each with the switch that cuts it off. */
export class RunningTurns {
  readonly #turns = new Map<string, Entry>();
  readonly #onChange: () => void;
  readonly #waiters = new Set<() => void>();
  #isInterrupting = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get units(): readonly WorkUnit[] {
    return [...this.#turns.values()].map((turn) => turn.unit);
  }

  get observed(): readonly ObservedWork[] {
    return [...this.#turns.values()].map(({ unit, activeAtMs, controller }) => ({
      unit,
      activeAtMs,
      isGivenUp: controller.signal.aborted,
    }));
  }

  get storedSessions(): readonly string[] {
    return [...this.#turns.values()].flatMap(({ isStored, unit }) =>
      isStored && unit.session !== undefined ? [unit.session] : [],
    );
  }

  /** Where somebody waits for something that runs; each chat once. */
  get chats(): readonly Chat[] {
    const chats = [...this.#turns.values()].flatMap(({ chat }) => chat ?? []);
    return [...new Map(chats.map((chat) => [JSON.stringify(chat), chat])).values()];
  }

  /** Runs `work` as a turn that counts until it has settled. */
  async track<Result>(
    turn: RunningTurn,
    work: (switches: TurnSwitches) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const entry: Entry = { ...turn, controller, activeAtMs: monotonicMs() };
    const abandon = (cause: AbandonCause) => controller.abort(new Interruption(cause));
    const touched = (atMs: number) => {
      entry.activeAtMs = atMs;
    };
    const leave = () => abandon('caller-left');
    if (turn.callerSignal.aborted) leave();
    turn.callerSignal.addEventListener('abort', leave);
    this.#turns.set(turn.unit.id, entry);
    // it had been let in before the doors were closed: too late all the same
    if (this.#isInterrupting) controller.abort(new Interruption('drain'));
    this.#changed();
    try {
      return await work({ signal: controller.signal, abandon, touched });
    } finally {
      turn.callerSignal.removeEventListener('abort', leave);
      this.#turns.delete(turn.unit.id);
      this.#changed();
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

  /** What runs, and whatever still begins. */
  interruptAll(): void {
    this.#isInterrupting = true;
    for (const { controller } of this.#turns.values()) controller.abort(new Interruption('drain'));
  }

  /** Resolves as soon as the set changes, or never; call again for the next change. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        signal.removeEventListener('abort', settle);
        this.#waiters.delete(settle);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiters.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }

  #changed(): void {
    this.#onChange();
    for (const settle of [...this.#waiters]) settle();
  }
}
