import type { ProcessLimits, WatchLimits } from './limits.js';
import { renderCompletion, renderMatch } from './render-notice.js';
import type { ProcessOrigin, ToolProcess } from './tool-process.js';
import { FRESH_WATCH, judgeMatch, LineMatcher, NoticeBudget } from './watch-patterns.js';

/** News of a process for the conversation that started it. */
export interface ProcessNotice {
  readonly processId: string;
  readonly origin: ProcessOrigin;
  readonly text: string;
  /** asked when its turn has come: the agent may have looked by itself meanwhile */
  readonly isWanted: () => boolean;
}

export interface NotifierOptions {
  readonly limits: ProcessLimits;
  readonly watch: WatchLimits;
  readonly onNotice: (notice: ProcessNotice) => void;
}

/** Decides what of a process is worth a turn of its own. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #budget: NoticeBudget;
  /** ended processes whose end the agent knows, or need not know */
  readonly #consumed = new Set<string>();
  /** tool calls that wait for a process right now: they will tell its end */
  readonly #waiting = new Map<string, number>();

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#budget = new NoticeBudget(options.watch);
  }

  /** What to do with new output; `find` gives the process once it is registered. */
  watch(patterns: readonly string[], find: () => ToolProcess | undefined): OutputWatch {
    const matcher = new LineMatcher(patterns);
    let state = FRESH_WATCH;
    const tell = (lines: readonly string[]) => {
      const process = find();
      if (lines.length === 0 || process === undefined || this.#isConsumed(process)) return;
      const verdict = judgeMatch(state, Date.now(), this.#options.watch);
      state = verdict.state;
      const { notice } = verdict;
      if (notice.kind === 'none' || !this.#budget.spend(Date.now())) return;
      const isLast = notice.kind === 'switched-off';
      this.#send(process, renderMatch(process, { lines, missed: notice.missed, isLast }));
    };
    return {
      take: (text) => tell(matcher.take(text)),
      end: () => tell(matcher.end()),
    };
  }

  ended(process: ToolProcess): void {
    const { id, notifyOnComplete, isBackground } = process.facts;
    if (!isBackground || !notifyOnComplete || this.#isConsumed(process)) return;
    if ((this.#waiting.get(id) ?? 0) > 0) return;
    this.#send(process, renderCompletion(process, this.#options.limits.noticeTailChars));
  }

  /** The agent knows, or nobody is to be told: a notice on its way is dropped too. */
  consume(id: string): void {
    this.#consumed.add(id);
  }

  /** Runs a wait of a tool call. */
  async whileWaiting<Result>(id: string, wait: () => Promise<Result>): Promise<Result> {
    this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
    try {
      return await wait();
    } finally {
      const left = (this.#waiting.get(id) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(id);
      else this.#waiting.set(id, left);
    }
  }

  forget(id: string): void {
    this.#consumed.delete(id);
  }

  #isConsumed(process: ToolProcess): boolean {
    return this.#consumed.has(process.facts.id);
  }

  #send(process: ToolProcess, text: string): void {
    const { id, origin } = process.facts;
    this.#options.onNotice({
      processId: id,
      origin,
      text,
      isWanted: () => !this.#consumed.has(id),
    });
  }
}

export interface OutputWatch {
  take(text: string): void;
  end(): void;
}
