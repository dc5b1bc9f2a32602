import type { RecordedEvent } from '../../src/core/events.js';
import type { EventSubscriber } from './port.js';

export interface EventFeedOptions {
  /** stored events after a cursor, oldest first; must hold an event before it is published */
  readonly eventsAfter: (cursor: number, limit: number) => readonly RecordedEvent[];
  readonly pageSize?: number;
  /** how often a full subscriber is asked again */
  readonly retryMs?: number;
}

const DEFAULT_PAGE_SIZE = 500;
const DEFAULT_RETRY_MS = 50;

/**
 * Hands every event to every subscriber, once and in order. One that resumes reads pages of the
 * store until a page comes short; reading that page and going live is one step of the loop, so
 * nothing falls between them.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #live = new Set<EventSubscriber>();

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  publish(recorded: RecordedEvent): void {
    for (const subscriber of [...this.#live]) {
      // one that unsubscribed while this event was handed out
      if (this.#live.has(subscriber)) subscriber.onEvent(recorded);
    }
  }

  subscribe(afterCursor: number | undefined, subscriber: EventSubscriber): () => void {
    const replay: Replay = { cursor: afterCursor ?? 0, ended: false, timer: undefined };
    if (afterCursor === undefined) this.#live.add(subscriber);
    else this.#replay(replay, subscriber);
    return () => {
      replay.ended = true;
      clearTimeout(replay.timer);
      this.#live.delete(subscriber);
    };
  }

  #replay(replay: Replay, subscriber: EventSubscriber): void {
    if (replay.ended) return;
    if (subscriber.isFull()) {
      this.#later(replay, subscriber, this.#options.retryMs ?? DEFAULT_RETRY_MS);
      return;
    }
    const pageSize = this.#options.pageSize ?? DEFAULT_PAGE_SIZE;
    const page = this.#options.eventsAfter(replay.cursor, pageSize);
    for (const recorded of page) {
      if (replay.ended) return;
      subscriber.onEvent(recorded);
      replay.cursor = recorded.cursor;
    }
    if (page.length < pageSize) this.#live.add(subscriber);
    // a long history must not keep the loop to itself
    else this.#later(replay, subscriber, 0);
  }

  #later(replay: Replay, subscriber: EventSubscriber, delayMs: number): void {
    replay.timer = setTimeout(() => this.#replay(replay, subscriber), delayMs).unref();
  }
}

interface Replay {
  cursor: number;
  ended: boolean;
  timer: NodeJS.Timeout | undefined;
}
