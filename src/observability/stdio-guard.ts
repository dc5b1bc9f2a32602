import type { Writable } from 'node:stream';
import { errnoOf } from '../core/errors.js';

export interface GuardedOutput {
  /** undefined while it works; the errno that ended it afterwards */
  readonly brokenBy: string | undefined;
  /** writes that were thrown away: it is broken, or nobody reads it */
  readonly dropped: number;
  readonly isTerminal: boolean;
  write(text: string): void;
}

/** What may wait for a reader that has stopped reading. */
const DEFAULT_MAX_PENDING_BYTES = 1024 * 1024;

/** Errors after which a stream never works again; others (EAGAIN on a shared terminal) pass. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  'EPIPE',
  'EIO',
  'EBADF',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * Makes a stdout or stderr of our own harmless: its reader may go away, be stopped, or close
 * the terminal, and we neither die of it, nor wait for it, nor loop.
 */
export function guardOutput(
  stream: Writable,
  maxPendingBytes = DEFAULT_MAX_PENDING_BYTES,
): GuardedOutput {
  let brokenBy: string | undefined;
  let dropped = 0;
  stream.on('error', (error) => {
    const errno = errnoOf(error) ?? 'UNKNOWN';
    if (FINAL_ERRORS.has(errno)) brokenBy ??= errno;
  });
  neverBlock(stream);
  return {
    get brokenBy() {
      return brokenBy;
    },
    get dropped() {
      return dropped;
    },
    isTerminal: 'isTTY' in stream && stream.isTTY === true,
    write(text) {
      if (brokenBy !== undefined || stream.destroyed || stream.writableLength > maxPendingBytes) {
        dropped++;
        return;
      }
      stream.write(text);
    },
  };
}

/**
 * Node writes to pipes synchronously, so a reader that is stopped (`| less`) would stop
 * supervision as well. The handle is the only place where that can be changed.
 */
function neverBlock(stream: Writable): void {
  const handle = (stream as { readonly _handle?: { setBlocking?: (blocking: boolean) => void } })
    ._handle;
  try {
    handle?.setBlocking?.(false);
  } catch {
    // a file or a closed stream: nothing to unblock
  }
}
