import { LOOK_EVERY_MS } from './drain/drain-request-watch.js';
import { WAIT_NEWS_EVERY_MS } from './drain/wait-news.js';

/** Every wait of a gateway that no setting names; tests pass shorter ones. */
export interface GatewayTimings {
  /** silence on an event stream before a comment proves that it lives (spec 15.1) */
  readonly sseKeepaliveMs: number;
  /** what an interrupted turn may take to let go of its agent */
  readonly interruptGraceMs: number;
  /** the same when a signal began it that nobody had announced: whoever sent it may send SIGKILL */
  readonly signalGraceMs: number;
  /** how often a wait for what runs says in the log for what */
  readonly waitNewsMs: number;
  /** what connections may take to carry their last bytes away */
  readonly closeGraceMs: number;
  /** how long our own listeners may take to answer us before we give up being ready */
  readonly selfCheckMs: number;
  /** how long the gateway before us may take to let go of the profile's lock */
  readonly lockWaitMs: number;
  /** how long the check of a database may take after an end without a word */
  readonly integrityCheckMs: number;
  /** reports in between are merged into the next one */
  readonly reportIntervalMs: number;
  /** most that a drain may take when the supervisor is gone and nobody will wait for us */
  readonly orphanDrainMs: number;
  /** how often the marker file of a drain from outside is looked for */
  readonly drainRequestMs: number;
  /** what the supervisor may take to answer a wish to be restarted, before we go by ourselves */
  readonly restartAnswerMs: number;
}

export const DEFAULT_TIMINGS: GatewayTimings = Object.freeze({
  sseKeepaliveMs: 30_000,
  interruptGraceMs: 2000,
  // spec/supervision.md 1.8
  signalGraceMs: 1000,
  waitNewsMs: WAIT_NEWS_EVERY_MS,
  closeGraceMs: 1000,
  selfCheckMs: 15_000,
  // spec/supervision.md 4.3
  lockWaitMs: 5000,
  // a gigabyte on a slow disk
  integrityCheckMs: 120_000,
  reportIntervalMs: 100,
  orphanDrainMs: 3000,
  drainRequestMs: LOOK_EVERY_MS,
  restartAnswerMs: 5000,
});
