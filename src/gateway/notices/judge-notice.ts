/**
 * A chat hears of a stop or a restart at most this often, counted across starts: a gateway that
 * went round in circles once sent 2,700 of them (spec/supervision.md 6.5).
 */
export const NOTICE_GAP_MS = 300_000;

/** "It is back" is no news for whoever was told so long ago that it would go. */
const OWED_FOR_MS = 3_600_000;

/** What one chat was told before; epoch milliseconds. */
export interface NoticeRecord {
  readonly platform: string;
  readonly chatId: string | undefined;
  readonly downAt: number;
  /** it was told that we come back, and not yet that we are */
  readonly isUpOwed: boolean;
}

export function mayTellDown(before: NoticeRecord | undefined, now: number): boolean {
  return before === undefined || now - before.downAt >= NOTICE_GAP_MS || now < before.downAt;
}

export function mayTellUp(before: NoticeRecord, now: number): boolean {
  return before.isUpOwed && now - before.downAt <= OWED_FOR_MS;
}
