import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

export interface WatchTimes {
  /** how often to look where no watch can be had (inotify limits) */
  readonly fallbackMs: number;
  /** how often to look besides, where not everything that is waited for has an event */
  readonly lookEveryMs?: number | undefined;
}

/** Tells when cgroup.events of a cgroup changes: the kernel says so, nobody polls. One waiter. */
export class PopulatedWatch {
  readonly #times: WatchTimes;
  #watcher: FSWatcher | undefined;
  #wake: (() => void) | undefined;

  constructor(directory: string, times: WatchTimes) {
    this.#times = times;
    try {
      this.#watcher = watch(join(directory, 'cgroup.events'), () => this.nudge());
      this.#watcher.on('error', () => this.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  /** Resolves when `isDone` holds or the time is over; asks it only when there was news. */
  async until(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    while (!isDone()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await this.#sleep(Math.min(leftMs, this.#everyMs));
    }
    return true;
  }

  /** Somebody else knows that something happened. */
  nudge(): void {
    this.#wake?.();
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.nudge();
  }

  get #everyMs(): number {
    const { fallbackMs, lookEveryMs = Number.POSITIVE_INFINITY } = this.#times;
    return this.#watcher === undefined ? fallbackMs : lookEveryMs;
  }

  async #sleep(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
      this.#wake = resolve;
    });
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
