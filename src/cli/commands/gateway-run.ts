import { makeRuntimeDir } from '../../../supervisor/runtime-dir.js';
import {
  buildAssignment,
  loadConfig,
  localSocketPath,
  profileBudgets,
} from '../../config/index.js';
import type { HostConfig, ProfileConfig } from '../../config/model.js';
import { profileLayout } from '../../config/paths.js';
import { countProblems, renderProblems } from '../../config/problems.js';
import type { OwnershipGrant } from '../../core/assignment.js';
import { clientWaitMs } from '../../core/budgets.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import type { Owner } from '../../core/owner.js';
import { DEFAULT_WATCH_POLICY, type FromWatch } from '../../core/watch.js';
import { managerEars } from '../../gateway/manager-ears.js';
import { openVoice } from '../../manager/index.js';
import { identityStems } from '../../ownership/identity-places.js';
import { startLoopWatchdog } from '../../watchdog/loop-watchdog.js';
import { runningSupervisorOf } from '../control/running-supervisor.js';
import { repairOwnUnit } from '../units/own-repair.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

/** One gateway in the foreground; the exit code is the gateway's own. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const name = invocation.profile ?? DEFAULT_PROFILE;
  const { evidenceDir } = profileLayout(home, name);
  const order = { profile: name, generation: 0, evidenceDir, policy: DEFAULT_WATCH_POLICY };
  const watchdog = startLoopWatchdog({ order, onMessage: tellWatch(context) });
  const { config, host } = goodProfile(name, context);
  watchdog.watch({ ...order, policy: config.watchdog });
  const runtimeDir = makeRuntimeDir(home, env, process.getuid?.() ?? 0);
  const supervisor = await runningSupervisorOf(name, context);
  const assignment = buildAssignment(config, {
    home,
    generation: 0,
    localSocket: localSocketPath(runtimeDir, name),
    parentEnv: env,
    restartLoopGuard: host.gateway.restartLoopGuard,
    ownership: grant(invocation, { config, host, supervisor, env }),
  });
  const budgets = profileBudgets(config, host);
  const ears = managerEars({
    profile: name,
    voice: openVoice({ env, pid: process.pid, trouble: (detail) => terminal.error(detail) }),
    stopLimitMs: config.afterTurnMs + budgets.at['manager-stop'],
  });
  const { runStandaloneGateway } = await import('../../gateway/standalone.js');
  try {
    return await runStandaloneGateway(assignment, {
      watchdog,
      onPhase: ears.onPhase,
      onStopping: ears.onStopping,
      onReady: (report) => {
        ears.onReady(report);
        terminal.notice(`${name} is ready: ${report.listen.join(' ')}`);
        void repairOwnUnit({ kind: 'gateway', profile: name }, context);
      },
    });
  } finally {
    ears.close();
  }
}

function grant(
  invocation: Invocation,
  facts: Pick<Context, 'env'> & {
    readonly config: ProfileConfig;
    readonly host: HostConfig;
    readonly supervisor: Owner | undefined;
  },
): Omit<OwnershipGrant, 'identities'> {
  const { multiplexAllowlist, multiplexProfiles } = facts.host.gateway;
  return {
    supervised: false,
    force: hasFlag(invocation, 'force'),
    replace: hasFlag(invocation, 'replace'),
    replaceWaitMs: clientWaitMs(profileBudgets(facts.config, facts.host)),
    multiplexes: multiplexProfiles,
    allowlist: multiplexAllowlist,
    supervisor: facts.supervisor,
    identityStems: identityStems(facts.env),
  };
}

/** Heard only once the loop runs again: what ended it for good is on standard error by then. */
function tellWatch({ terminal }: Context): (message: FromWatch) => void {
  return (message) => {
    if (message.code === 'recovered') terminal.notice('the event loop is on time again');
    if (message.code !== 'evidence') return;
    const { kind, where, path = 'no file could be written' } = message;
    terminal.notice(`watchdog: ${kind}: ${where} (${path})`);
  };
}

/** @throws GatewardenError unknown-profile, config-invalid */
function goodProfile(
  name: string,
  { env, home }: Context,
): { readonly config: ProfileConfig; readonly host: HostConfig } {
  const { host, profiles } = loadConfig(home, env);
  const profile = profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, home);
  if (profile.kind === 'good') return { config: profile.config, host };
  throw new GatewardenError('config-invalid', {
    count: countProblems(profile.problems),
    problems: renderProblems(profile.problems),
    hint: 'correct it and check it with: gatewarden config check',
  });
}
