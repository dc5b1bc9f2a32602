import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../../../units/service.js';
import type { ManagedState, UnitManager } from '../../../units/unit-manager.js';
import type { Environment } from '../../config/paths.js';
import { CLI_EXIT, EXIT } from '../../core/exit-codes.js';
import { reach } from '../control/reach.js';

const LOOK_EVERY_MS = 200;

/** What a service was told to do came to. */
export type Observed =
  | { readonly kind: 'done'; readonly state: ManagedState }
  /** it has given up or was told to stop: nothing more will happen */
  | { readonly kind: 'failed'; readonly state: ManagedState }
  | { readonly kind: 'unfinished'; readonly state: ManagedState };

export interface RunFacts {
  readonly state: ManagedState;
  /** of the process before; undefined: any will do */
  readonly oldPid: number | undefined;
  /** the pid that says of itself that it is ready; undefined: nobody says anything */
  readonly readyPid: number | undefined;
  readonly isLate: boolean;
}

/** Done is a new process, an active unit and that process's own word; nothing less. */
export function judgeRun(facts: RunFacts): Observed['kind'] | 'waiting' {
  const { isLate, oldPid, readyPid, state } = facts;
  const isNew = state.pid !== undefined && state.pid !== oldPid;
  if (isNew && state.isReady && readyPid === state.pid) return 'done';
  // a restart begins with a stop: the old process may still be the one that rests
  if (state.isResting && (state.isFailed || state.exitCode !== undefined)) return 'failed';
  return isLate ? 'unfinished' : 'waiting';
}

export interface Watch {
  readonly manager: UnitManager;
  readonly name: string;
  readonly subject: Subject;
  readonly home: string;
  readonly env: Environment;
  readonly oldPid: number | undefined;
  readonly deadlineMs: number;
  readonly onLook?: (state: ManagedState) => void;
}

/** Looks until it is decided. */
export async function observeRun(watch: Watch): Promise<Observed> {
  for (;;) {
    const state = await watch.manager.state(watch.name);
    watch.onLook?.(state);
    const readyPid = state.isReady ? await readyPidOf(watch, state) : undefined;
    const isLate = Date.now() >= watch.deadlineMs;
    const kind = judgeRun({ state, readyPid, isLate, oldPid: watch.oldPid });
    if (kind !== 'waiting') return { kind, state };
    await sleep(LOOK_EVERY_MS);
  }
}

/** A gateway alone has no control API: that its unit is active is its own word, by sd_notify or the fd. */
async function readyPidOf({ subject, home, env }: Watch, state: ManagedState) {
  if (subject.kind === 'gateway') return state.pid;
  const found = await reach(home, env);
  return found.kind === 'answers' ? found.report.supervisor.pid : undefined;
}

export function exitCodeOf(observed: Observed): number {
  switch (observed.kind) {
    case 'done':
      return CLI_EXIT.done;
    case 'unfinished':
      return CLI_EXIT.unfinished;
    case 'failed': {
      const { exitCode } = observed.state;
      const isRefusal = exitCode === EXIT.config || exitCode === EXIT.usage;
      return isRefusal ? CLI_EXIT.refused : CLI_EXIT.failed;
    }
    default:
      return observed satisfies never;
  }
}

export function describeObserved(name: string, { kind, state }: Observed): readonly string[] {
  if (kind === 'done') return [`${name}: ready, pid ${state.pid ?? 'unknown'}`];
  const what = kind === 'failed' ? '' : 'not ready yet: ';
  return [`${name}: ${what}${state.words}`, `  next: ${state.look}`];
}
