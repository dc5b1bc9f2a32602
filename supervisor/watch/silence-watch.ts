import { clampTimerMs, formatDuration } from '../../src/core/durations.js';
import { monotonicMs } from '../../src/core/monotonic.js';
import { nextSilence, type Silence } from './judge-silence.js';

/** Looks within one limit: late by a tenth at most. */
const LOOKS_PER_LIMIT = 10;

/** Calls once when nothing was heard for longer than the limit; also when nothing ever was. */
export class SilenceWatch {
  readonly #limitMs: number;
  readonly #lookMs: number;
  readonly #onLost: (detail: string) => void;
  #silence: Silence = { lookedAtMs: monotonicMs(), silentMs: 0 };
  #timer: NodeJS.Timeout;
  #heardAt: number | undefined;

  constructor(limitMs: number, onLost: (detail: string) => void) {
    this.#limitMs = limitMs;
    this.#lookMs = Math.max(1, limitMs / LOOKS_PER_LIMIT);
    this.#onLost = onLost;
    this.#timer = setInterval(() => this.#look(), clampTimerMs(this.#lookMs)).unref();
  }

  /** epoch milliseconds; undefined: never */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  heard(): void {
    this.#heardAt = Date.now();
    this.#silence = { ...this.#silence, silentMs: 0 };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const policy = { lookMs: this.#lookMs, limitMs: this.#limitMs };
    const { silence, isLost } = nextSilence(this.#silence, monotonicMs(), policy);
    this.#silence = silence;
    if (!isLost) return;
    this.stop();
    const span = formatDuration(this.#limitMs);
    this.#onLost(
      this.#heardAt === undefined
        ? `its watchdog was never heard within ${span}`
        : `its watchdog was silent for ${span}`,
    );
  }
}
