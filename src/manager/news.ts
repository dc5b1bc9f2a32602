/** What a service manager may be told; each encoder takes what its manager understands. */
export type ManagerNews =
  /** serving; also the end of a reload */
  | { readonly code: 'ready'; readonly status: string }
  /** one sentence for whoever asks the manager */
  | { readonly code: 'status'; readonly status: string }
  | { readonly code: 'reloading' }
  /** once, before the drain: otherwise the drain looks like a hang */
  | { readonly code: 'stopping'; readonly status: string }
  /** the present step needs so much time from now on */
  | { readonly code: 'extend'; readonly byMs: number }
  /** the watchdog's food */
  | { readonly code: 'alive' };

export interface NewsFacts {
  readonly pid: number;
  /** CLOCK_MONOTONIC, as systemd compares it with its own */
  readonly monotonicUsec: bigint;
}

const USEC_PER_MS = 1000;

/** systemd shows it in one line of `systemctl status`. */
const MAX_STATUS_LENGTH = 300;

/** A datagram of sd_notify(3). */
export function encodeForSystemd(news: ManagerNews, { pid, monotonicUsec }: NewsFacts): string {
  switch (news.code) {
    case 'ready':
      return lines('READY=1', `MAINPID=${pid}`, statusLine(news.status));
    case 'status':
      return lines(statusLine(news.status));
    case 'reloading':
      return lines('RELOADING=1', `MONOTONIC_USEC=${monotonicUsec}`);
    case 'stopping':
      return lines('STOPPING=1', statusLine(news.status));
    case 'extend':
      return lines(`EXTEND_TIMEOUT_USEC=${Math.ceil(news.byMs * USEC_PER_MS)}`);
    case 'alive':
      return lines('WATCHDOG=1');
    default:
      return news satisfies never;
  }
}

/** A sentence that stays one line, whatever a detail in it holds. */
export function toStatusLine(text: string): string {
  const flat = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
  return flat.length <= MAX_STATUS_LENGTH ? flat : `${flat.slice(0, MAX_STATUS_LENGTH - 1)}…`;
}

function statusLine(status: string): string {
  return `STATUS=${toStatusLine(status)}`;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
