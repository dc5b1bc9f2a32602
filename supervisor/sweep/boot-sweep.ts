import { type EndingTimes, endMembers, readStat } from '../../src/containment/index.js';
import type { ProcStat } from '../../src/core/proc-stat.js';
import { isAlive, type OpenGeneration } from '../../src/store/index.js';

export interface SweepFacts {
  /** `‹home hash›:` — what every process of any supervisor of this home carries */
  readonly homePrefix: string;
  /** our own processes carry this one; they are spared */
  readonly instancePrefix: string;
  /** spawned by an earlier supervisor and never seen to end */
  readonly open: readonly OpenGeneration[];
  readonly times: EndingTimes;
}

export interface Swept {
  readonly profile: string | undefined;
  readonly pids: readonly number[];
  readonly survivors: readonly number[];
}

/**
 * Ends what earlier supervisors of this home left behind, before anything is spawned: by the
 * tag in the environment, and by recorded identity where the tag was scrubbed. A process that
 * merely has a recorded pid, but another start time, is never touched.
 */
export async function sweepLeftovers(facts: SweepFacts): Promise<Swept[]> {
  const swept: Swept[] = [];
  for (const generation of facts.open) {
    const root = livingRoot(generation);
    if (root === undefined) continue;
    const ending = await endMembers(
      {
        roots: [{ ...root, ownSession: root.session === root.pid }],
        hasScope: () => false,
      },
      facts.times,
    );
    swept.push({
      profile: generation.profile,
      pids: ending.signalled,
      survivors: ending.survivors,
    });
  }
  const tagged = await endMembers(
    {
      roots: [],
      hasScope: (scope) =>
        scope.startsWith(facts.homePrefix) && !scope.startsWith(facts.instancePrefix),
    },
    facts.times,
  );
  if (tagged.signalled.length > 0) {
    swept.push({ profile: undefined, pids: tagged.signalled, survivors: tagged.survivors });
  }
  return swept;
}

function livingRoot(generation: OpenGeneration): ProcStat | undefined {
  if (generation.identity.startTicks === undefined || !isAlive(generation.identity)) {
    return undefined;
  }
  return readStat(generation.identity.pid);
}
