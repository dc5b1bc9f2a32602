import type { EventStream } from '../../http/event-stream.js';
import type { Announcement } from '../port.js';

/** The answers that are being streamed, by conversation: the only way to tell a caller anything. */
export class OpenStreams {
  readonly #streams = new Map<EventStream, string>();

  /** @param chatId undefined: the caller keeps the conversation by itself */
  add(stream: EventStream, chatId: string | undefined): void {
    if (chatId !== undefined) this.#streams.set(stream, chatId);
  }

  remove(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  announce({ chatId, text }: Announcement): void {
    for (const [stream, own] of this.#streams) if (own === chatId) stream.comment(text);
  }
}
