import {
  type Containment,
  type Ending,
  type EndingTimes,
  endMembers,
  type Membership,
  readStat,
  type Scope,
} from '../../src/containment/index.js';
import type { ProcStat } from '../../src/core/proc-stat.js';
import { isAlive, type OpenGeneration } from '../../src/store/index.js';

export interface SweepFacts {
  /** `‹home hash›:` — what every process of any supervisor of this home carries */
  readonly homePrefix: string;
  /** our own processes carry this one; they are spared */
  readonly instancePrefix: string;
  /** spawned by an earlier supervisor and never seen to end */
  readonly open: readonly OpenGeneration[];
  readonly containment: Containment;
  readonly times: EndingTimes;
}

export interface Swept {
  readonly profile: string | undefined;
  readonly pids: readonly number[];
  readonly survivors: readonly number[];
  readonly retry: () => Promise<Ending>;
}

/**
 * Ends what earlier supervisors of this home left behind, before anything is spawned: by their
 * cgroups, by recorded identity, and by the tag in the environment. A process that merely has a
 * recorded pid, but another start time, is never touched.
 */
export async function sweepLeftovers(facts: SweepFacts): Promise<Swept[]> {
  const recorded = facts.open.flatMap(({ containment }) => containment ?? []);
  const scopes = facts.containment.leftovers(recorded);
  const swept = [
    ...(await Promise.all(scopes.map((scope) => sweepScope(scope, facts.times)))),
    ...(await Promise.all(facts.open.map((generation) => sweepRecorded(generation, facts.times)))),
  ];
  const hasScope = (scope: string) =>
    scope.startsWith(facts.homePrefix) && !scope.startsWith(facts.instancePrefix);
  // last: what was left by the others has no cgroup and no parent any more
  swept.push(await sweepMembers(undefined, { roots: [], hasScope }, facts.times));
  return swept.filter((one) => one.pids.length > 0 || one.survivors.length > 0);
}

async function sweepScope(scope: Scope, times: EndingTimes): Promise<Swept> {
  const retry = async () => {
    const ending = await scope.end({ ...times, graceMs: 0 });
    if (ending.survivors.length === 0) scope.dispose();
    return ending;
  };
  const { signalled, survivors } = await scope.end(times);
  if (survivors.length === 0) scope.dispose();
  return { profile: scope.name, pids: signalled, survivors, retry };
}

async function sweepRecorded(generation: OpenGeneration, times: EndingTimes): Promise<Swept> {
  const root = livingRoot(generation);
  const roots = root === undefined ? [] : [{ ...root, ownSession: root.session === root.pid }];
  if (roots.length === 0) return NOTHING;
  return await sweepMembers(generation.profile, { roots, hasScope: () => false }, times);
}

async function sweepMembers(
  profile: string | undefined,
  membership: Membership,
  times: EndingTimes,
): Promise<Swept> {
  const retry = () => endMembers(membership, { ...times, graceMs: 0 });
  const { signalled, survivors } = await endMembers(membership, times);
  return { profile, pids: signalled, survivors, retry };
}

const NOTHING: Swept = {
  profile: undefined,
  pids: [],
  survivors: [],
  retry: () => Promise.resolve({ signalled: [], survivors: [] }),
};

function livingRoot(generation: OpenGeneration): ProcStat | undefined {
  if (generation.identity.startTicks === undefined || !isAlive(generation.identity)) {
    return undefined;
  }
  return readStat(generation.identity.pid);
}
