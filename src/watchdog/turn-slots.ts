/**
 * One slot per open turn in memory that the loop and the thread share: when it last showed a sign
 * of life, and who gives it up. Exactly one of the two wins (spec/supervision.md 5.5).
 */

const SLOTS = 256;
const FREE = 0;
const OPEN = 1;
const CLAIMED_BY_LOOP = 2;
const CLAIMED_BY_THREAD = 3;

/** Double words first: they must lie on a multiple of their size. */
const STATES_AT = SLOTS * Float64Array.BYTES_PER_ELEMENT;
const BYTES = STATES_AT + SLOTS * Int32Array.BYTES_PER_ELEMENT;

export class TurnSlots {
  readonly buffer: SharedArrayBuffer;
  readonly #activeAtMs: Float64Array;
  readonly #states: Int32Array;

  constructor(buffer = new SharedArrayBuffer(BYTES)) {
    this.buffer = buffer;
    this.#activeAtMs = new Float64Array(buffer, 0, SLOTS);
    this.#states = new Int32Array(buffer, STATES_AT, SLOTS);
  }

  /** undefined: more turns are open than there are slots; this one has only the loop's own timer */
  take(nowMs: number): number | undefined {
    const slot = this.#states.indexOf(FREE);
    if (slot < 0) return undefined;
    this.#activeAtMs[slot] = nowMs;
    Atomics.store(this.#states, slot, OPEN);
    return slot;
  }

  free(slot: number): void {
    Atomics.store(this.#states, slot, FREE);
  }

  /** @returns false: the thread has given it up */
  touch(slot: number, nowMs: number): boolean {
    this.#activeAtMs[slot] = nowMs;
    return Atomics.load(this.#states, slot) !== CLAIMED_BY_THREAD;
  }

  activeAtMs(slot: number): number {
    return this.#activeAtMs[slot] ?? 0;
  }

  /** @returns whether the caller is the one who gives the turn up; asked again: the same answer */
  claim(slot: number, who: 'loop' | 'thread'): boolean {
    const mine = who === 'loop' ? CLAIMED_BY_LOOP : CLAIMED_BY_THREAD;
    const before = Atomics.compareExchange(this.#states, slot, OPEN, mine);
    return before === OPEN || before === mine;
  }
}
