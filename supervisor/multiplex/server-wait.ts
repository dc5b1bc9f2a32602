/** Somebody whose gateway lives in a process that is not there yet. */
interface Waiting {
  readonly profile: string;
  readonly signal: AbortSignal;
  readonly go: () => void;
}

/**
 * Starts of served profiles wait here, and not in the queue of starts, until the gateway that
 * serves them is ready: it may take long, and is no fault of theirs.
 */
export class ServerWait {
  readonly #mustWait: (profile: string) => boolean;
  #waiting: readonly Waiting[] = [];

  constructor(mustWait: (profile: string) => boolean) {
    this.#mustWait = mustWait;
  }

  isWaiting(profile: string): boolean {
    return this.#waiting.some((one) => one.profile === profile && !one.signal.aborted);
  }

  /** Calls back once, at once when there is nothing to wait for; never after the signal. */
  wait(profile: string, signal: AbortSignal, go: () => void): void {
    if (signal.aborted) return;
    if (!this.#mustWait(profile)) {
      go();
      return;
    }
    this.#waiting = [...this.#waiting, { profile, signal, go }];
  }

  /** Something has changed: whoever has nothing to wait for any more goes on. */
  look(): void {
    const free = this.#waiting.filter(
      ({ profile, signal }) => signal.aborted || !this.#mustWait(profile),
    );
    this.#waiting = this.#waiting.filter((one) => !free.includes(one));
    for (const { signal, go } of free) if (!signal.aborted) go();
  }
}
