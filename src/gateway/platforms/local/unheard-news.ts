import type { Announcement } from '../port.js';

/** What a chat may find when somebody comes back to it; older news give way. */
const MAX_PER_CHAT = 3;
const MAX_CHATS = 1000;

/** News for chats in which nobody is at the moment: after a restart, that is all of them. */
export class UnheardNews {
  readonly #byChat = new Map<string | undefined, readonly Announcement[]>();

  keep(news: Announcement): void {
    const kept = this.#byChat.get(news.chatId) ?? [];
    // set anew, so that the map stays in order of the newest
    this.#byChat.delete(news.chatId);
    this.#byChat.set(news.chatId, [...kept, news].slice(-MAX_PER_CHAT));
    if (this.#byChat.size <= MAX_CHATS) return;
    const [oldest] = this.#byChat.keys();
    this.#byChat.delete(oldest);
  }

  /** Each is told once. */
  take(chatId: string | undefined): readonly Announcement[] {
    const kept = this.#byChat.get(chatId) ?? [];
    this.#byChat.delete(chatId);
    return kept;
  }
}
