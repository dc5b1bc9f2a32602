export interface LineRateLimits {
  /** 0 = unlimited */
  readonly linesPerSecond: number;
  /** lines that may come at once after a silence; default: two seconds' worth */
  readonly burstLines?: number;
  /** how often dropped lines are told */
  readonly reportEveryMs?: number;
}

const DEFAULT_REPORT_EVERY_MS = 5000;

/** A token bucket over log lines (field case F2); what it drops it counts and tells. */
export class LineRate {
  readonly #linesPerMs: number;
  readonly #burst: number;
  readonly #reportEveryMs: number;
  #tokens: number;
  #refilledAt: number | undefined;
  #dropped = 0;
  #droppingSince: number | undefined;
  #droppedTotal = 0;

  constructor(limits: LineRateLimits) {
    this.#linesPerMs = limits.linesPerSecond / 1000;
    this.#burst = Math.max(1, limits.burstLines ?? limits.linesPerSecond * 2);
    this.#reportEveryMs = limits.reportEveryMs ?? DEFAULT_REPORT_EVERY_MS;
    this.#tokens = this.#burst;
  }

  /** since the start */
  get droppedTotal(): number {
    return this.#droppedTotal;
  }

  admit(nowMs: number): boolean {
    if (this.#linesPerMs === 0) return true;
    this.#refill(nowMs);
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return true;
    }
    this.#droppingSince ??= nowMs;
    this.#dropped++;
    this.#droppedTotal++;
    return false;
  }

  /** Lines dropped that nobody was told of yet, at most once per interval; ask after each line and on a timer. */
  takeDropped(nowMs: number): number | undefined {
    if (this.#droppingSince === undefined) return undefined;
    // a clock that was set back must not silence it
    const waitedMs = nowMs - this.#droppingSince;
    if (waitedMs >= 0 && waitedMs < this.#reportEveryMs) return undefined;
    return this.takeAllDropped();
  }

  /** The same without waiting for the interval: when the stream ends. */
  takeAllDropped(): number | undefined {
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#droppingSince = undefined;
    return dropped === 0 ? undefined : dropped;
  }

  #refill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - (this.#refilledAt ?? nowMs));
    this.#refilledAt = nowMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + passedMs * this.#linesPerMs);
  }
}
