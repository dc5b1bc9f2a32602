import { homeLayout } from '../config/paths.js';
import type { Cause } from '../core/death.js';
import { describeOutcome } from '../core/death.js';
import { GatewardenError } from '../core/errors.js';
import type { Desired } from '../core/status.js';
import { knownProfiles } from './known-profiles.js';
import { ownerlessProcesses } from './left-processes.js';

/** What is known of a profile while no supervisor answers. */
export interface LastKnown {
  readonly name: string;
  /** null: no operator ever said, so its configuration decides */
  readonly desired: Desired | null;
  /** its newest run went down together with the supervisor: how is not known */
  readonly diedUnseen: boolean;
  /** pids that carry its tag although no supervisor owns them */
  readonly left: readonly number[];
  /** the newest on record */
  readonly lastExit: {
    readonly how: string;
    readonly cause: Cause;
    readonly at: string;
    readonly detail: string | null;
  } | null;
  readonly restarts: Readonly<Partial<Record<Cause, number>>>;
}

/**
 * From the store and the home; a store that cannot be read leaves the names.
 * @param isOwned a supervisor is there, only silent: what runs is not left behind
 */
export async function readLastKnown(
  home: string,
  names: readonly string[],
  isOwned: boolean,
): Promise<readonly LastKnown[]> {
  const stored = await readStore(home);
  const left = isOwned ? [] : ownerlessProcesses(home);
  const known = [...new Set([...knownProfiles(home), ...(stored?.desired.keys() ?? [])])].sort();
  return known
    .filter((name) => names.length === 0 || names.includes(name))
    .map((name) => {
      const death = stored?.newestDeaths.get(name);
      const generation = stored?.generations.get(name) ?? 0;
      return {
        name,
        diedUnseen: generation > (death?.generation ?? 0),
        left: left.filter(({ profile }) => profile === name).map(({ pid }) => pid),
        desired: stored?.desired.get(name)?.desired ?? null,
        lastExit:
          death === undefined
            ? null
            : {
                how: describeOutcome(death.outcome),
                cause: death.cause,
                at: new Date(death.at).toISOString(),
                detail: death.detail ?? null,
              },
        restarts: stored?.counters.get(name) ?? {},
      };
    });
}

async function readStore(home: string) {
  const { readStoredState } = await import('../store/index.js');
  try {
    return readStoredState(homeLayout(home).supervisorDb);
  } catch (thrown) {
    // `doctor` tells what is wrong with the store; here its silence is enough
    if (thrown instanceof GatewardenError) return undefined;
    throw thrown;
  }
}
