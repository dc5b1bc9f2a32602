import type { LoadedProfile } from '../../src/config/model.js';
import type { EndingTimes, Scope } from '../../src/containment/index.js';
import type { BudgetChain } from '../../src/core/budgets.js';
import type { Death } from '../../src/core/death.js';
import type { KeptEvidence, WatchOrder } from '../../src/core/watch.js';
import type { CrowdedTurn, Hold } from '../../src/core/work.js';
import type { OutputStream } from '../generation/generation.js';
import type { ProfileListeners } from '../listeners/profile-listeners.js';
import type { StartPolicy } from './start-deadline.js';

export type GoodProfile = Extract<LoadedProfile, { kind: 'good' }>;

/** What a run tells its profile. */
export interface RunListener {
  ready(tookMs: number): void;
  degraded(detail: string): void;
  recovered(): void;
  /** it takes nothing new; undefined: it does again */
  held(hold: Hold | undefined): void;
  turnCrowded(crowded: CrowdedTurn): void;
  restartWanted(detail: string): void;
  phase(phase: string): void;
  line(stream: OutputStream, text: string): void;
  changed(): void;
  protocolBroken(code: string): void;
  leftoversEnded(pids: readonly number[]): void;
  /** nothing could end them; their scope stays open */
  survived(scope: Scope, pids: readonly number[]): void;
  /** its watchdog has written something down */
  evidence(kept: KeptEvidence): void;
  /** the tree is empty, or proven abandoned */
  dead(death: Death): void;
}

export interface RunPolicy {
  readonly start: StartPolicy;
  /** after a polite signal to something that is not asked to drain */
  readonly killAfterMs: number;
  /** the chain of the generation's own configuration (design §6) */
  readonly budgets: BudgetChain;
  readonly ending: EndingTimes;
}

export interface RunFacts {
  readonly profile: string;
  readonly number: number;
  readonly drainMs: number;
  /** texts that no log, status or history may hold */
  readonly secrets: readonly string[];
  readonly policy: RunPolicy;
  readonly watch: WatchOrder;
  readonly listeners: ProfileListeners;
}
