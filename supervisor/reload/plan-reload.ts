import type { LoadedConfig, LoadedProfile } from '../../src/config/model.js';
import type { Move } from '../../src/core/moves.js';

/** What a reload has done, by profile. */
export interface ReloadOutcome {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** who is to run elsewhere: in its own process, or in that of another */
  readonly moves: readonly Move[];
  /** why (parts of) the new configuration were not taken */
  readonly problems?: string;
}

/** What a re-read configuration means for one profile. */
export type ReloadStep =
  | { readonly kind: 'add'; readonly loaded: LoadedProfile }
  | { readonly kind: 'remove'; readonly name: string }
  /** its inputs differ and are good: the next generation takes them */
  | { readonly kind: 'change'; readonly loaded: LoadedProfile }
  /** its inputs differ and are bad: a running gateway keeps the last good ones */
  | { readonly kind: 'keep'; readonly loaded: LoadedProfile };

/** Compares what runs with what was read; profiles that are the same do not appear. */
export function planReload(
  current: ReadonlyMap<string, LoadedProfile>,
  wanted: LoadedConfig['profiles'],
): ReloadStep[] {
  const steps: ReloadStep[] = [];
  for (const [name, loaded] of wanted) {
    const before = current.get(name);
    if (before === undefined) steps.push({ kind: 'add', loaded });
    else if (before.fingerprint !== loaded.fingerprint) {
      steps.push({ kind: loaded.kind === 'good' ? 'change' : 'keep', loaded });
    }
  }
  for (const name of current.keys()) {
    if (!wanted.has(name)) steps.push({ kind: 'remove', name });
  }
  return steps;
}

/** The steps that were taken, in the words of an operator. */
export function listSteps(
  steps: readonly ReloadStep[],
): Pick<ReloadOutcome, 'added' | 'removed' | 'changed'> {
  const named = (...kinds: ReloadStep['kind'][]) =>
    steps.filter(({ kind }) => kinds.includes(kind)).map(nameOf);
  return { added: named('add'), removed: named('remove'), changed: named('change', 'keep') };
}

function nameOf(step: ReloadStep): string {
  return step.kind === 'remove' ? step.name : step.loaded.name;
}
