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
import { clientWaitMs } from '../../core/budgets.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import { managerEars } from '../../gateway/manager-ears.js';
import { openVoice } from '../../manager/index.js';
import { endGateway } from '../control/end-gateway.js';
import { reach } from '../control/reach.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

/** One gateway in the foreground; the exit code is the gateway's own. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const name = invocation.profile ?? DEFAULT_PROFILE;
  const { config, host } = goodProfile(name, context);
  const runtimeDir = makeRuntimeDir(home, env, process.getuid?.() ?? 0);
  const assignment = buildAssignment(config, {
    home,
    generation: 0,
    localSocket: localSocketPath(runtimeDir, name),
    parentEnv: env,
    restartLoopGuard: host.gateway.restartLoopGuard,
  });
  const budgets = profileBudgets(config, host);
  if (hasFlag(invocation, 'replace')) await replace(name, clientWaitMs(budgets), context);
  const ears = managerEars({
    profile: name,
    voice: openVoice({ env, pid: process.pid, trouble: (detail) => terminal.error(detail) }),
    stopLimitMs: config.afterTurnMs + budgets.at['manager-stop'],
  });
  const { runStandaloneGateway } = await import('../../gateway/standalone.js');
  try {
    return await runStandaloneGateway(assignment, {
      onPhase: ears.onPhase,
      onStopping: ears.onStopping,
      onReady: (report) => {
        ears.onReady(report);
        terminal.notice(`${name} is ready: ${report.listen.join(' ')}`);
      },
    });
  } finally {
    ears.close();
  }
}

interface GoodProfile {
  readonly config: ProfileConfig;
  readonly host: HostConfig;
}

/** @throws GatewardenError unknown-profile, config-invalid */
function goodProfile(name: string, { env, home }: Context): GoodProfile {
  const { profiles, host } = loadConfig(home, env);
  const profile = profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, home);
  if (profile.kind === 'good') return { config: profile.config, host };
  throw new GatewardenError('config-invalid', {
    count: countProblems(profile.problems),
    problems: renderProblems(profile.problems),
    hint: 'correct it and check it with: gatewarden config check',
  });
}

/**
 * Ends the gateway that serves this profile now. One that a supervisor runs would only come
 * back: that is the supervisor's to stop (field case A14).
 */
async function replace(
  name: string,
  termWaitMs: number,
  { env, home, terminal }: Context,
): Promise<void> {
  const found = await reach(home, env);
  const status =
    found.kind === 'answers'
      ? found.report.profiles.find((profile) => profile.name === name)
      : undefined;
  if (status?.pid !== undefined && status.pid !== null) {
    throw new GatewardenError('gateway-already-running', {
      profile: name,
      pid: String(status.pid),
      path: profileLayout(home, name).gatewayLock,
    });
  }
  const notice = (line: string) => terminal.notice(line);
  await endGateway({ profile: name, home, termWaitMs, notice });
}
