/** One job at a time per key, in order of arrival; different keys run side by side. */

interface Waiting {
  readonly run: () => void;
  readonly refuse: (why: 'closed' | 'dismissed') => void;
  readonly isKept: boolean;
}

interface Lane {
  readonly waiting: Waiting[];
}

export type Admission = 'admitted' | 'full' | 'closed' | 'left' | 'dismissed';

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #maxWaiting: number;
  #closed = false;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves when it is this job's turn (call `leave` after it), or says why it never will be.
   * @param isKept it goes on waiting when the others are dismissed
   */
  enter(key: string, signal: AbortSignal, isKept = false): Promise<Admission> {
    if (this.#closed) return Promise.resolve('closed');
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      this.#lanes.set(key, { waiting: [] });
      return Promise.resolve('admitted');
    }
    if (lane.waiting.length >= this.#maxWaiting) return Promise.resolve('full');
    return waitIn(lane, signal, isKept);
  }

  leave(key: string): void {
    const next = this.#lanes.get(key)?.waiting.shift();
    if (next === undefined) this.#lanes.delete(key);
    else next.run();
  }

  /** Tells what waits that it will not be run any more. @returns how many that were */
  dismiss(key: string): number {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return 0;
    const dismissed = lane.waiting.filter(({ isKept }) => !isKept);
    lane.waiting.splice(0, lane.waiting.length, ...lane.waiting.filter(({ isKept }) => isKept));
    for (const waiting of dismissed) waiting.refuse('dismissed');
    return dismissed.length;
  }

  /** Nothing enters any more, and what waits is told so; what runs goes on. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) {
      for (const waiting of lane.waiting.splice(0)) waiting.refuse('closed');
    }
  }
}

function waitIn(lane: Lane, signal: AbortSignal, isKept: boolean): Promise<Admission> {
  return new Promise((resolve) => {
    const settle = (admission: Admission) => {
      signal.removeEventListener('abort', leave);
      resolve(admission);
    };
    const waiting: Waiting = { run: () => settle('admitted'), refuse: settle, isKept };
    const leave = () => {
      lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
      settle('left');
    };
    if (signal.aborted) return resolve('left');
    lane.waiting.push(waiting);
    signal.addEventListener('abort', leave);
  });
}
