import type { Environment } from '../../config/paths.js';
import { errnoOf } from '../../core/errors.js';
import { hasGeneration } from '../../core/lifecycle.js';
import type { Owner } from '../../core/owner.js';
import { identityOf } from '../../store/process-table.js';
import { type Reach, reach } from './reach.js';

/**
 * The live supervisor that runs this profile: a gateway that is ended beside it would only come
 * back (field case A14). One that does not answer decides nothing: the profile's lock does.
 */
export async function runningSupervisorOf(
  profile: string,
  { env, home }: { readonly env: Environment; readonly home: string },
): Promise<Owner | undefined> {
  const found = await reachIfAllowed(home, env);
  if (found?.kind !== 'answers') return undefined;
  const { profiles, supervisor } = found.report;
  const status = profiles.find(({ name }) => name === profile);
  if (status === undefined || !hasGeneration(status.state)) return undefined;
  const { pid, startedAt } = supervisor;
  const identity = identityOf(pid) ?? { pid, startTicks: undefined, bootId: undefined };
  return { identity, home, startedAt: Date.parse(startedAt) };
}

/** An account of a profile may pass through the home of root and not look into it (docs/accounts.md). */
async function reachIfAllowed(home: string, env: Environment): Promise<Reach | undefined> {
  try {
    return await reach(home, env);
  } catch (thrown) {
    if (errnoOf(thrown) === 'EACCES') return undefined;
    throw thrown;
  }
}
