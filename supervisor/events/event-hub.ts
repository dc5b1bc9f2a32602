import type { EventCode, RecordedEvent, SupervisorEvent } from '../../src/core/events.js';

export type EventSink = (recorded: RecordedEvent) => void;

/** Gives every event its cursor and passes it on, in order, to whoever listens. */
export class EventHub {
  readonly #sinks = new Set<EventSink>();
  readonly #counts: Partial<Record<EventCode, number>> = {};
  #nextCursor: number;

  /** @param nextCursor continues the numbering of earlier supervisors */
  constructor(nextCursor: number) {
    this.#nextCursor = nextCursor;
  }

  publish(event: SupervisorEvent): void {
    const recorded = { cursor: this.#nextCursor++, at: Date.now(), event };
    this.#counts[event.code] = (this.#counts[event.code] ?? 0) + 1;
    for (const sink of this.#sinks) sink(recorded);
  }

  /** Everything from now on; returns the way to stop. */
  subscribe(sink: EventSink): () => void {
    this.#sinks.add(sink);
    return () => this.#sinks.delete(sink);
  }

  /** events since the start, by code */
  get counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** Only forward: an outage at start hid how far the numbering had come. */
  continueFrom(nextCursor: number): void {
    this.#nextCursor = Math.max(this.#nextCursor, nextCursor);
  }
}
