import { LOCAL_LINE_MAX_BYTES } from '../../../core/local-protocol.js';

/** What one connection may bring. */
export const LIMITS = Object.freeze({
  maxLineBytes: LOCAL_LINE_MAX_BYTES,
  maxTextChars: 65_536,
  /** unread answers before a client that does not read is cut off */
  maxUnreadBytes: 8 * 1024 * 1024,
});
