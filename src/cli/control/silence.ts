/** Thrown when nobody answered in time; the socket itself took the connection. */
export class SilenceError extends Error {
  readonly waitedMs: number;

  constructor(waitedMs: number) {
    super(`no answer within ${waitedMs} ms`);
    this.name = 'SilenceError';
    this.waitedMs = waitedMs;
  }
}
