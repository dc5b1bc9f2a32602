import type { GuardBudget } from '../../src/core/budgets.js';
import type { EvidenceKind, FromWatch, KeptEvidence, WatchOrder } from '../../src/core/watch.js';
import type { WatchChannel } from '../generation/watch-channel.js';
import { SilenceWatch } from './silence-watch.js';

/** What a run is told by the watchdog of its generation. */
export interface WatchListener {
  evidence(kept: KeptEvidence): void;
  /** a clause for an operator; undefined: its loop is on time again */
  loopTrouble(detail: string | undefined): void;
  /** nothing was heard for too long */
  lost(detail: string): void;
}

/** A thread that answers at all answers by then: five seconds are the stack reader's own limit. */
const DUMP_ANSWER_MS = 6000;

/** The supervisor's view of one generation's watchdog thread. */
export class GenerationWatch {
  readonly #channel: WatchChannel;
  readonly #listener: WatchListener;
  readonly #silence: SilenceWatch;
  readonly #dumps = new Set<() => void>();
  #last: KeptEvidence | undefined;
  #lateSince: number | undefined;

  constructor(channel: WatchChannel, order: WatchOrder, listener: WatchListener) {
    this.#channel = channel;
    this.#listener = listener;
    this.#silence = new SilenceWatch(order.policy.silenceMs, (detail) => listener.lost(detail));
    channel.tell({ code: 'watch', order });
    channel.listen((message) => this.#take(message));
  }

  /** epoch milliseconds since which its loop stands still; undefined: it moves */
  get lateSince(): number | undefined {
    return this.#lateSince;
  }

  /** epoch milliseconds of its last sign of life; undefined: there was none */
  get lastBeatAt(): number | undefined {
    return this.#silence.heardAt;
  }

  /** What explains an end that comes now; forgotten once the loop runs again. */
  get evidence(): KeptEvidence | undefined {
    return this.#last;
  }

  /** From now on the thread itself ends what is still there after so long. */
  stopping(budget: GuardBudget): void {
    this.#channel.tell({ code: 'ending', kind: 'stop-timeout', budget });
  }

  /** Has it written down where it is; resolves when it has, or is not going to. */
  dump(kind: EvidenceKind): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#dumps.delete(done);
        resolve();
      };
      const timer = setTimeout(done, DUMP_ANSWER_MS);
      this.#dumps.add(done);
      this.#channel.tell({ code: 'dump', kind });
    });
  }

  /** Its process is gone. */
  stop(): void {
    this.#silence.stop();
    for (const done of [...this.#dumps]) done();
  }

  #take(message: FromWatch): void {
    this.#silence.heard();
    switch (message.code) {
      case 'beat':
        return;
      case 'recovered':
        if (!isVerdict(this.#last)) this.#last = undefined;
        this.#lateSince = undefined;
        this.#listener.loopTrouble(undefined);
        return;
      case 'evidence':
        this.#keep(message);
        return;
      default:
        message satisfies never;
    }
  }

  #keep(kept: KeptEvidence): void {
    this.#listener.evidence(kept);
    // a turn's silence says nothing about the gateway
    if (kept.kind === 'inactive-turn') return;
    // what it is ended for stays the reason, whatever it does while it ends
    if (kept.kind !== 'loop-late' || !isVerdict(this.#last)) this.#last = kept;
    if (kept.kind === 'loop-late' || kept.kind === 'stall') {
      // its begin, which stays true; a span would be old at once
      this.#lateSince ??= Date.now() - kept.lateMs;
      const since = new Date(this.#lateSince).toISOString();
      this.#listener.loopTrouble(`its event loop has stood still since ${since}: ${kept.where}`);
    }
    for (const done of [...this.#dumps]) done();
  }
}

/** Written down for an end that was decided, not for a loop that may come back. */
function isVerdict(kept: KeptEvidence | undefined): boolean {
  return kept?.kind === 'start-timeout' || kept?.kind === 'stop-timeout';
}
