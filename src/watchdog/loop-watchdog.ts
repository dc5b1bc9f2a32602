import { Worker } from 'node:worker_threads';
import type { GuardBudget } from '../core/budgets.js';
import { MAX_TIMER_MS } from '../core/durations.js';
import { messageOf } from '../core/errors.js';
import { monotonicMs } from '../core/monotonic.js';
import { packageFile } from '../core/package-root.js';
import {
  DEFAULT_WATCH_POLICY,
  type FromWatch,
  type ToWatch,
  type WatchOrder,
} from '../core/watch.js';
import { MAIN_THREAD, openStackReader } from './native-stack.js';
import { SharedCounters } from './shared-counters.js';
import type { ThreadData, ToThread } from './thread-messages.js';
import { type OpenTurnFacts, openTurn, type TurnGuard } from './turn-guard.js';
import type { Guest, TurnOwner } from './turn-messages.js';
import { TurnSlots } from './turn-slots.js';

export interface LoopWatchdogOptions {
  readonly order: WatchOrder;
  /** the pipe to the supervisor, which the thread alone reads and writes */
  readonly pipeFd?: number | undefined;
  /** without a pipe: what the thread has seen, once the loop runs again */
  readonly onMessage?: (message: FromWatch) => void;
  /** there will be no watchdog: the host refused it a thread */
  readonly onBroken?: (reason: string) => void;
}

/** Before anybody has said who a process is. */
export const NOBODY_YET: WatchOrder = Object.freeze({
  profile: undefined,
  generation: 0,
  evidenceDir: undefined,
  policy: DEFAULT_WATCH_POLICY,
});

/** A thread's memory beside what Node itself takes: the code, a few turns, one file of evidence. */
const THREAD_LIMITS = {
  maxOldGenerationSizeMb: 16,
  maxYoungGenerationSizeMb: 1,
  codeRangeSizeMb: 4,
  stackSizeMb: 1,
} as const;

/** Starts watching the loop of this very thread. Call it before anything that may not return. */
export function startLoopWatchdog(options: LoopWatchdogOptions): LoopWatchdog {
  const reader = openStackReader();
  if (reader.kind === 'native') reader.native.registerThread(MAIN_THREAD);
  return new LoopWatchdog(options);
}

/** The loop's side of its watchdog. */
export class LoopWatchdog {
  readonly #counters = new SharedCounters();
  readonly #slots = new TurnSlots();
  readonly #worker: Worker | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #dueAtMs = monotonicMs();
  #isOver = false;

  constructor({ order, pipeFd, onMessage, onBroken }: LoopWatchdogOptions) {
    this.#counters.tickEveryMs = order.policy.sampleMs;
    const data: ThreadData = {
      counters: this.#counters.buffer,
      slots: this.#slots.buffer,
      order,
      pipeFd,
    };
    const broken = (thrown: unknown) => {
      this.stop();
      onBroken?.(messageOf(thrown));
    };
    try {
      this.#worker = startThread(data);
      this.#worker.on('error', broken);
      if (onMessage !== undefined) this.#worker.on('message', onMessage);
      // a listener holds the process again
      this.#worker.unref();
      this.#moveLater();
    } catch (thrown) {
      queueMicrotask(() => broken(thrown));
    }
  }

  /** False from a warning until the loop has been punctual again for a while. */
  get isOnTime(): boolean {
    return !this.#counters.isLate;
  }

  /** Whom it watches, or how, has changed. */
  watch(order: WatchOrder): void {
    this.#tell({ code: 'watch', order });
  }

  /** From now on the process has so long to be gone; then it is ended, with evidence. */
  stopping(budget: GuardBudget): void {
    this.#tell({ code: 'ending', kind: 'stop-timeout', budget });
  }

  /**
   * Like `stopping`, from any of these signals on: the thread hears them by itself, so a loop that
   * stands still already ends in time too. Only for signals that the loop listens to as well.
   */
  stoppingOn(signals: readonly NodeJS.Signals[], budget: GuardBudget): void {
    this.#post({ kind: 'ending-on', signals, budget });
  }

  /** From now on the process has `withinMs` to be ready; called again, the time begins again. */
  starting(withinMs: number): void {
    // nobody is known who would kill later: what is not its own time is forgiven
    const budget = { withinMs, patienceMs: MAX_TIMER_MS };
    this.#tell({ code: 'ending', kind: 'start-timeout', budget });
  }

  /** It is ready. */
  started(): void {
    this.#tell({ code: 'ending', kind: 'start-timeout', budget: undefined });
  }

  /** Has it written down how things are; in order with what it was told before and is told after. */
  gaveUpTurn(guest: Guest | undefined): void {
    this.#post({ kind: 'gave-up', guest });
  }

  openTurn(facts: OpenTurnFacts, owner: TurnOwner): TurnGuard {
    const tell = (message: Parameters<typeof this.tellTurn>[0]) => this.tellTurn(message);
    return openTurn(facts, { owner, slots: this.#slots, tell });
  }

  tellTurn(message: Extract<ToThread, { kind: 'turn' }>['message']): void {
    this.#post({ kind: 'turn', message });
  }

  /** Ends the thread; the loop is not watched any more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#tickTimer);
    void this.#worker?.terminate();
  }

  #tell(message: ToWatch): void {
    this.#post({ kind: 'watch', message });
  }

  #post(message: ToThread): void {
    if (!this.#isOver) this.#worker?.postMessage(message);
  }

  #moveLater(): void {
    const everyMs = this.#counters.tickEveryMs;
    this.#dueAtMs = monotonicMs() + everyMs;
    const watchdog = this;
    // its name is how the thread knows a loop that was waiting (TICK_FUNCTION)
    this.#tickTimer = setTimeout(function moveWatchCounter() {
      watchdog.#counters.move(monotonicMs() - watchdog.#dueAtMs);
      watchdog.#moveLater();
    }, everyMs).unref();
  }
}

function startThread(data: ThreadData): Worker {
  return new Worker(packageFile('dist', 'bin', 'watchdog.js'), {
    workerData: data,
    resourceLimits: THREAD_LIMITS,
    // nothing of the process's environment or its flags is of use there
    env: {},
    execArgv: [],
    argv: [],
    trackUnmanagedFds: false,
  });
}
