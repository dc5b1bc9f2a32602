/** Fixed files of a slot and why they say what they say; s6 must decide nothing by itself (field case A32). */
export interface S6PolicyLine {
  readonly file: string;
  readonly value: string;
  readonly because: string;
}

/** Where the newline that means "ready" is written. */
export const NOTIFICATION_FD = 3;

/** A finish script only looks at a number; one that takes longer hangs. */
export const FINISH_TIMEOUT_MS = 5000;

/** While it is in a slot, nothing starts that by itself. */
export const DOWN_FILE = 'down';

/** Deaths that s6-svdt remembers. */
const DEATHS_KEPT = 100;

export const S6_POLICY: readonly S6PolicyLine[] = Object.freeze([
  {
    file: 'type',
    value: 'longrun',
    because: 's6-rc and s6-overlay ask for it; plain s6 ignores it',
  },
  {
    file: 'notification-fd',
    value: String(NOTIFICATION_FD),
    because: 'ready is a newline there, said by the service itself',
  },
  {
    file: 'timeout-finish',
    value: String(FINISH_TIMEOUT_MS),
    because: 'finish compares numbers; the default is the same, and pinned',
  },
  {
    file: 'down-signal',
    value: 'SIGTERM',
    because: 'drain and stop; the default is the same, and pinned',
  },
  {
    file: 'max-death-tally',
    value: String(DEATHS_KEPT),
    because: 'how many deaths s6-svdt can show; the default is the same, and pinned',
  },
]);

/** What the log script tells s6-log, in its words. */
export const S6_LOG = Object.freeze({
  files: 10,
  maxBytes: 1_000_000,
});

/**
 * Entries that s6-supervise would otherwise make for itself, as root: it takes what it finds, and
 * then the service's account can send commands (spec/supervision.md 3.3).
 */
export const S6_SEEDS = Object.freeze([
  { path: 'supervise', kind: 'directory', mode: 0o755 },
  { path: 'event', kind: 'directory', mode: 0o3730 },
  { path: 'supervise/event', kind: 'directory', mode: 0o3730 },
  { path: 'supervise/control', kind: 'fifo', mode: 0o660 },
] as const);
