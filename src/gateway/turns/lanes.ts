/** One job at a time per key, in order of arrival; different keys run side by side. */

interface Waiting {
  readonly run: () => void;
  readonly refuse: () => void;
}

interface Lane {
  readonly waiting: Waiting[];
}

export type Admission = 'admitted' | 'full' | 'closed' | 'left';

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #maxWaiting: number;
  #closed = false;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when it is this job's turn (call `leave` after it), or says why it never will be. */
  enter(key: string, signal: AbortSignal): Promise<Admission> {
    if (this.#closed) return Promise.resolve('closed');
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      this.#lanes.set(key, { waiting: [] });
      return Promise.resolve('admitted');
    }
    if (lane.waiting.length >= this.#maxWaiting) return Promise.resolve('full');
    return waitIn(lane, signal);
  }

  leave(key: string): void {
    const next = this.#lanes.get(key)?.waiting.shift();
    if (next === undefined) this.#lanes.delete(key);
    else next.run();
  }

  /** Nothing enters any more, and what waits is told so; what runs goes on. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) {
      for (const waiting of lane.waiting.splice(0)) waiting.refuse();
    }
  }
}

function waitIn(lane: Lane, signal: AbortSignal): Promise<Admission> {
  return new Promise((resolve) => {
    const settle = (admission: Admission) => {
      signal.removeEventListener('abort', leave);
      resolve(admission);
    };
    const waiting = { run: () => settle('admitted'), refuse: () => settle('closed') };
    const leave = () => {
      lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
      settle('left');
    };
    if (signal.aborted) return resolve('left');
    lane.waiting.push(waiting);
    signal.addEventListener('abort', leave);
  });
}
