import type { WatchLimits } from './limits.js';

/** What is remembered of one process's patterns. */
export interface WatchState {
  readonly notices: number;
  /** when the last notice went out; undefined: none yet */
  readonly noticedAt: number | undefined;
  /** matches since then that were not told */
  readonly suppressed: number;
  /** windows in a row in which matches were not told */
  readonly strikes: number;
  readonly isOff: boolean;
}

export const FRESH_WATCH: WatchState = Object.freeze({
  notices: 0,
  noticedAt: undefined,
  suppressed: 0,
  strikes: 0,
  isOff: false,
});

export interface WatchVerdict {
  readonly state: WatchState;
  readonly notice:
    | { readonly kind: 'none' }
    /** `missed`: matches before this one that were not told */
    | { readonly kind: 'match'; readonly missed: number }
    /** the last word: from now on only the end of the process is told */
    | { readonly kind: 'switched-off'; readonly missed: number };
}

/** What a match of a pattern leads to. Pure. */
export function judgeMatch(state: WatchState, now: number, limits: WatchLimits): WatchVerdict {
  if (state.isOff) return { state, notice: { kind: 'none' } };
  const isWithinWindow = state.noticedAt !== undefined && now - state.noticedAt < limits.everyMs;
  if (isWithinWindow) {
    return { state: { ...state, suppressed: state.suppressed + 1 }, notice: { kind: 'none' } };
  }
  const missed = state.suppressed;
  const strikes = missed > 0 ? state.strikes + 1 : 0;
  const notices = state.notices + 1;
  const isOff = strikes >= limits.maxStrikes || notices >= limits.maxNotices;
  return {
    state: { notices, noticedAt: now, suppressed: 0, strikes, isOff },
    notice: { kind: isOff ? 'switched-off' : 'match', missed },
  };
}

/** Finds lines that hold a pattern in output that comes in pieces. */
export class LineMatcher {
  readonly #patterns: readonly string[];
  #rest = '';

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  /** Lines that this piece completes and that match. */
  take(piece: string): string[] {
    if (this.#patterns.length === 0) return [];
    const lines = (this.#rest + piece).split('\n');
    // a line without an end must not grow with what it prints
    this.#rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARS);
    return lines.filter((line) => this.#isMatch(line)).map(shorten);
  }

  /** The last line of a program that ends without a newline. */
  end(): string[] {
    const line = this.#rest;
    this.#rest = '';
    return line !== '' && this.#isMatch(line) ? [shorten(line)] : [];
  }

  #isMatch(line: string): boolean {
    return this.#patterns.some((pattern) => line.includes(pattern));
  }
}

const MAX_LINE_CHARS = 10_000;
const SHOWN_LINE_CHARS = 500;

function shorten(line: string): string {
  return line.length > SHOWN_LINE_CHARS ? `${line.slice(0, SHOWN_LINE_CHARS)}…` : line;
}

/** All processes together: so many notices in a window, then silence for a while. */
export class NoticeBudget {
  readonly #limits: WatchLimits;
  #sentAt: number[] = [];
  #silentUntil = 0;

  constructor(limits: WatchLimits) {
    this.#limits = limits;
  }

  /** Whether one more notice may go out now; counts it when it may. */
  spend(now: number): boolean {
    if (now < this.#silentUntil) return false;
    this.#sentAt = this.#sentAt.filter((at) => now - at < this.#limits.globalWindowMs);
    if (this.#sentAt.length >= this.#limits.globalMax) {
      this.#silentUntil = now + this.#limits.globalCooldownMs;
      return false;
    }
    this.#sentAt.push(now);
    return true;
  }
}
