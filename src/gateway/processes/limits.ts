/**
 * What tool processes may cost (spec/supervision.md 5.1). Tests pass other values; nobody else does.
 */
export const PROCESS_LIMITS = Object.freeze({
  /** newest output kept per process: a long build log, and at most 13 MB for all 64 */
  outputChars: 200_000,
  /** end of the output in a completion notice: enough for an error, little enough for a prompt */
  noticeTailChars: 2000,
  /** how long the output of an ended process can still be asked for */
  finishedKeptMs: 1_800_000,
  /** how long its end, and the last of its output, are remembered, also by later gateways */
  resultKeptMs: 7 * 24 * 3_600_000,
  /** newest such results; each is a command and a tail, so the file stays below 1 MB */
  maxResults: 2 ** 6,
  /** processes known at once; the oldest ended ones make room */
  maxTracked: 2 ** 6,
  /** between SIGTERM and the next step: a program that saves its work needs no longer */
  termGraceMs: 2000,
  /** what the kernel may take to make SIGKILL true */
  killSettleMs: 1000,
  /** an abandoned turn's tree is asked twice (its root, then the rest) and is to be gone in 3 s */
  reapGraceMs: 1000,
  /** at a shutdown somebody waits for us with a SIGKILL of their own */
  shutdownGraceMs: 500,
  /** how often a dying tree is looked at where the kernel does not tell of its end */
  lookEveryMs: 25,
  /** after the exit: silence of a pipe that a grandchild still holds means that all was read */
  drainIdleMs: 600,
  /** after the exit: a grandchild that writes for ever is not listened to for longer */
  drainWaitMs: 1000,
  drainMaxBytes: 1024 * 1024,
  /** read without a pause: a program that prints as fast as it can must not starve the turns */
  burstBytes: 4 * 1024 * 1024,
  burstPauseMs: 50,
  /** longest wait for a process in one tool call, and what a foreground command may take */
  waitMaxMs: 180_000,
  /** a leak shows long before it hurts; counting costs one look at the host */
  gaugeEveryMs: 30_000,
  /** processes of one turn that are an alarm: a parallel build on an ordinary machine has fewer */
  alarmProcesses: 32,
  /** nobody tells us of the end of an adopted process, nor of what an ended one left behind */
  sweepMs: 2000,
  /** a checkpoint holds what lives for longer than this: short commands never reach the disk */
  checkpointDelayMs: 200,
  /** the kernel's limit for one argument is 128 KiB, in bytes of UTF-8 */
  commandBytes: 96 * 1024,
  /** one write to a process; more would wait in our memory */
  writeChars: 65_536,
});

export type ProcessLimits = { readonly [Name in keyof typeof PROCESS_LIMITS]: number };

/** How often a pattern in the output may begin a turn (spec/supervision.md 5.1). */
export const WATCH_LIMITS = Object.freeze({
  maxPatterns: 8,
  patternChars: 200,
  /** one notice per process in this time; what matches meanwhile is counted */
  everyMs: 15_000,
  /** windows in a row with more matches than notices: the pattern is too common to be news */
  maxStrikes: 3,
  /** notices of one process in its whole life */
  maxNotices: 8,
  /** notices of all processes together, then silence for the cooldown */
  globalMax: 15,
  globalWindowMs: 10_000,
  globalCooldownMs: 30_000,
});

export type WatchLimits = { readonly [Name in keyof typeof WATCH_LIMITS]: number };
