import { stat } from 'node:fs/promises';

/** Well inside the five seconds in which a mended profile must start by itself. */
const LOOK_EVERY_MS = 1000;

/** While nobody waits for a change: somebody may begin to, and then the first look is at once. */
const IDLE_EVERY_MS = 3000;

/** Now and then everything is read again: a missing program or directory is in no list of files. */
const READ_EVERY_LOOKS = 4;

/**
 * Notices that files changed, by looking at them. A kernel watch would miss network volumes
 * and editors that replace a file; a few stat calls a second cost nothing, and only while
 * `isNeeded` says that somebody waits for a change.
 */
export class SourceWatch {
  readonly #facts: {
    readonly sources: () => readonly string[];
    readonly isNeeded: () => boolean;
    readonly changed: () => void;
  };
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #looks = 0;
  #stopped = false;

  constructor(facts: {
    sources: () => readonly string[];
    isNeeded: () => boolean;
    changed: () => void;
  }) {
    this.#facts = facts;
  }

  start(): void {
    this.#plan(LOOK_EVERY_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #plan(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), delayMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    if (this.#facts.isNeeded()) {
      const stamp = await stampOf(this.#facts.sources());
      if (this.#stopped) return;
      // the first look after nobody cared may have missed a change: it reports one to be safe
      const isDue = this.#looks++ % READ_EVERY_LOOKS === 0;
      if (isDue || stamp !== this.#seen) this.#facts.changed();
      this.#seen = stamp;
      this.#plan(LOOK_EVERY_MS);
    } else {
      this.#seen = undefined;
      this.#plan(IDLE_EVERY_MS);
    }
  }
}

async function stampOf(sources: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    sources.map(async (path) => {
      try {
        const { mtimeMs, ctimeMs, size, ino } = await stat(path);
        return `${mtimeMs}:${ctimeMs}:${size}:${ino}`;
      } catch {
        return 'absent';
      }
    }),
  );
  return stamps.join('|');
}
