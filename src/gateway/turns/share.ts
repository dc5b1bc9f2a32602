/** A share of turns at once; what is more waits for its turn, in order of arrival. */

interface Waiting {
  readonly key: string;
  readonly settle: (admission: ShareAdmission) => void;
}

export type ShareAdmission = 'admitted' | 'closed' | 'left' | 'dismissed';

export class Share {
  readonly #limit: number;
  #waiting: Waiting[] = [];
  #taken = 0;
  #closed = false;

  /** @param limit undefined: there is enough for all */
  constructor(limit: number | undefined) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves when there is room (call `leave` after it), or says why there never will be. */
  enter(key: string, signal: AbortSignal): Promise<ShareAdmission> {
    if (this.#closed) return Promise.resolve('closed');
    if (signal.aborted) return Promise.resolve('left');
    if (this.#taken < this.#limit) {
      this.#taken++;
      return Promise.resolve('admitted');
    }
    return new Promise((resolve) => {
      const settle = (admission: ShareAdmission) => {
        signal.removeEventListener('abort', leave);
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        resolve(admission);
      };
      const leave = () => settle('left');
      const entry: Waiting = { key, settle };
      this.#waiting.push(entry);
      signal.addEventListener('abort', leave);
    });
  }

  /** The room of the one that leaves goes to whoever waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken--;
    else next.settle('admitted');
  }

  /** What waits under the key is told that it will not be run. @returns how many that were */
  dismiss(key: string): number {
    const dismissed = this.#waiting.filter((one) => one.key === key);
    for (const { settle } of dismissed) settle('dismissed');
    return dismissed.length;
  }

  close(): void {
    this.#closed = true;
    for (const { settle } of this.#waiting) settle('closed');
  }
}
