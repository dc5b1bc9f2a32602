import type { GuardBudget } from '../core/budgets.js';
import type { ToWatch, WatchOrder } from '../core/watch.js';
import type { Guest, TurnMessage } from './turn-messages.js';

/** What a thread is started with. */
export interface ThreadData {
  readonly counters: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  readonly order: WatchOrder;
  /** the pipe to the supervisor; undefined: there is none, the loop is told */
  readonly pipeFd: number | undefined;
}

/** What a loop tells its own thread. */
export type ToThread =
  | { readonly kind: 'turn'; readonly message: TurnMessage }
  | { readonly kind: 'watch'; readonly message: ToWatch }
  /** the loop gives up a turn for its silence, and ends it right after; of a guest or its own */
  | { readonly kind: 'gave-up'; readonly guest: Guest | undefined }
  /** each of these signals begins the process's end, whether or not the loop hears it */
  | {
      readonly kind: 'ending-on';
      readonly signals: readonly NodeJS.Signals[];
      readonly budget: GuardBudget;
    };
