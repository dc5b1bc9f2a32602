import {
  type AbandonCause,
  type OwnedProcess,
  type ProcessOwner,
  planReap,
  type TurnClaim,
} from './plan-reap.js';
import type { ProcessOrigin } from './tool-process.js';

/** A turn while its worker runs. */
export interface OpenTurn {
  readonly owner: ProcessOwner;
  readonly origin: ProcessOrigin;
  /** The worker has returned: what the turn left, it left on purpose. */
  release(): void;
  /** The turn is given up: what it started ends with it. Only the first of both calls counts. */
  abandon(cause: AbandonCause): void;
}

export interface ClaimEffects {
  /** everything that is known, as it is now */
  readonly processes: () => readonly OwnedProcess[];
  readonly reap: (ids: readonly string[], cause: AbandonCause) => void;
}

/** Which turn may claim which processes (design §7): the one way to end what a turn started. */
export class TurnClaims {
  readonly #effects: ClaimEffects;
  readonly #open = new Map<string, OpenTurn>();
  #generations = 0;

  constructor(effects: ClaimEffects) {
    this.#effects = effects;
  }

  /** Called right before the worker starts. */
  begin(turnId: string, origin: ProcessOrigin): OpenTurn {
    const { sessionId } = origin;
    // one count for all sessions tells the turns of each one apart, and keeps nothing behind
    const generation = ++this.#generations;
    const owner = { turnId, sessionId, generation };
    const running = this.#effects.processes().filter(({ isRunning }) => isRunning);
    const claim: TurnClaim = {
      ...owner,
      baseline: new Set(running.map(({ id }) => id)),
      owns: true,
    };
    const turn: OpenTurn = {
      owner,
      origin,
      release: () => {
        if (this.#open.get(turnId) === turn) this.#open.delete(turnId);
      },
      abandon: (cause) => {
        if (this.#open.get(turnId) !== turn) return;
        const ids = planReap({ claim, cause, processes: this.#effects.processes() });
        // before anything is ended: what the worker does from now on has no owner
        this.#open.delete(turnId);
        if (ids.length > 0) this.#effects.reap(ids, cause);
      },
    };
    this.#open.set(turnId, turn);
    return turn;
  }

  /** undefined: there is no such turn any more, and nothing may be started for it */
  find(turnId: string): OpenTurn | undefined {
    return this.#open.get(turnId);
  }
}
