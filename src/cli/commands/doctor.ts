import { checkConfig, checkNotices, loadConfig } from '../../config/index.js';
import type { LoadedConfig } from '../../config/model.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { reach } from '../control/reach.js';
import { checkAccounts } from '../doctor/accounts.js';
import { checkBudgets } from '../doctor/budgets.js';
import { checkConfiguration, checkStore } from '../doctor/configuration.js';
import { checkContainment } from '../doctor/containment.js';
import type { Check, CheckResult, DoctorFacts } from '../doctor/finding.js';
import { checkDisk, checkHome } from '../doctor/home.js';
import { checkLocks, checkOwners } from '../doctor/ownership.js';
import { checkPorts } from '../doctor/ports.js';
import { renderDoctor } from '../doctor/render-doctor.js';
import { checkEnvFiles, checkTokens } from '../doctor/secrets.js';
import { checkSockets } from '../doctor/sockets.js';
import { checkLeftovers } from '../doctor/stale.js';
import { checkSystemd } from '../doctor/systemd.js';
import { checkUnits } from '../doctor/units.js';
import { checkDatabase, checkNode, checkSupervisor } from '../doctor/versions.js';
import { knownProfiles } from '../known-profiles.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { viewOf } from './status.js';

/** What stands on its own first, what needs a configuration after it. */
const CHECKS: readonly Check[] = [
  checkNode,
  checkDatabase,
  checkHome,
  checkDisk,
  checkLocks,
  checkOwners,
  checkConfiguration,
  checkEnvFiles,
  checkTokens,
  checkAccounts,
  checkSupervisor,
  checkStore,
  checkSockets,
  checkPorts,
  checkLeftovers,
  checkContainment,
  checkSystemd,
  checkBudgets,
  checkUnits,
];

/** Looks at everything and changes nothing. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const facts = await gatherFacts(context);
  const results: CheckResult[] = [];
  for (const check of CHECKS) results.push(await check(facts));
  const isClean = results.every((result) => result.findings.length === 0);
  context.terminal.out(
    hasFlag(invocation, 'json')
      ? JSON.stringify({ clean: isClean, checks: results })
      : renderDoctor(results, viewOf(context)),
  );
  return isClean ? CLI_EXIT.done : CLI_EXIT.failed;
}

async function gatherFacts({ env, home }: Context): Promise<DoctorFacts> {
  return {
    home,
    env,
    uid: process.getuid?.() ?? 0,
    reach: await reach(home, env),
    names: knownProfiles(home),
    ...readConfig(home, env),
  };
}

/** A home that cannot be read is told by its own check. */
function readConfig(
  home: string,
  env: Context['env'],
): Pick<DoctorFacts, 'config' | 'notices' | 'problems'> {
  try {
    const problems = checkConfig(home, env);
    return { config: loadOrNothing(home, env), problems, notices: checkNotices(home) };
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return { config: undefined, problems: [], notices: [] };
  }
}

function loadOrNothing(home: string, env: Context['env']): LoadedConfig | undefined {
  try {
    return loadConfig(home, env);
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return undefined;
  }
}
