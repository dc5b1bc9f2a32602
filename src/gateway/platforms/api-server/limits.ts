/** What one request may bring (spec/gateway-runtime.md 15.1). */
export const LIMITS = Object.freeze({
  maxBodyBytes: 10 * 1024 * 1024,
  maxTextChars: 65_536,
  maxListItems: 1000,
  maxSessionKeyChars: 256,
});

/** When a client that met the limit of concurrent runs does well to come back. */
export const BUSY_RETRY_AFTER_MS = 1000;
