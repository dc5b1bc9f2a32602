import type { DrainReason } from '../../core/ipc.js';
import type { Announcement } from '../platforms/port.js';
import type { SessionStore } from '../sessions/store.js';
import type { TurnRunner } from '../turns/runner.js';
import { mayTellDown, mayTellUp } from './judge-notice.js';

export interface NoticeParts {
  readonly store: SessionStore;
  readonly turns: Pick<TurnRunner, 'chats'>;
  /** platforms whose chats want to hear of it */
  readonly platforms: readonly string[];
  readonly announce: (news: Announcement) => void;
}

/** Of no turn, and the same in every chat. */
const TURN = 'lifecycle';

const DOWN: Readonly<Record<DrainReason, string>> = Object.freeze({
  restart:
    'The gateway restarts. What does not finish in time is cut off and taken up again afterwards.',
  stop: 'The gateway goes down. What does not finish in time is cut off.',
  'supervisor-lost': 'The gateway goes down. What does not finish in time is cut off.',
});

const UP = 'The gateway is back.';

/** Tells each chat with something in progress, while its platform still listens. */
export function tellDown({ store, turns, platforms, announce }: NoticeParts, reason: DrainReason) {
  const now = Date.now();
  const before = store.notices();
  for (const { platform, chatId } of turns.chats) {
    const known = before.find((one) => one.platform === platform && one.chatId === chatId);
    if (!platforms.includes(platform) || !mayTellDown(known, now)) continue;
    announce({ platform, chatId, turnId: TURN, text: DOWN[reason] });
    const isUpOwed = reason === 'restart';
    store.write({ kind: 'notice', record: { platform, chatId, downAt: now, isUpOwed } });
  }
}

/** Tells those who were promised that it comes back. */
export function tellUp({ store, platforms, announce }: NoticeParts): void {
  const now = Date.now();
  for (const record of store.notices().filter(({ isUpOwed }) => isUpOwed)) {
    const { platform, chatId } = record;
    // before it is told: a start that dies right here must not tell it again and again
    store.write({ kind: 'notice', record: { ...record, isUpOwed: false } });
    if (!platforms.includes(platform) || !mayTellUp(record, now)) continue;
    announce({ platform, chatId, turnId: TURN, text: UP });
  }
}
