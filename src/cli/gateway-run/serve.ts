import { prepareAccount } from '../../../supervisor/accounts/prepare-account.js';
import { makeRuntimeDir } from '../../../supervisor/runtime-dir.js';
import { configInvalid } from '../../config/config-invalid.js';
import { loadConfig } from '../../config/index.js';
import type { ProfileConfig } from '../../config/model.js';
import { unservable } from '../../config/multiplex.js';
import { profileLayout } from '../../config/paths.js';
import { renderProblems } from '../../config/problems.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import { DEFAULT_WATCH_POLICY, type FromWatch } from '../../core/watch.js';
import { managerEars } from '../../gateway/manager-ears.js';
import type { ClaimedProfile } from '../../gateway/profile-lock.js';
import type { StandaloneGuests } from '../../gateway/standalone.js';
import { openVoice } from '../../manager/index.js';
import { startLoopWatchdog } from '../../watchdog/loop-watchdog.js';
import { runningSupervisorOf } from '../control/running-supervisor.js';
import { repairOwnUnit } from '../units/own-repair.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { type GoodConfig, planGuests, planProcess } from './plan-process.js';

/** Serves the profile, and for a multiplexer's profile the others too, until it is told to end. */
export async function serve(
  invocation: Invocation,
  context: Context,
  early: ClaimedProfile | undefined,
): Promise<number> {
  const { env, home, terminal } = context;
  const name = invocation.profile ?? DEFAULT_PROFILE;
  const { evidenceDir } = profileLayout(home, name);
  const order = { profile: name, generation: 0, evidenceDir, policy: DEFAULT_WATCH_POLICY };
  const watchdog = startLoopWatchdog({ order, onMessage: tellWatch(context) });
  const loaded = loadGood(name, context);
  const { config } = loaded;
  watchdog.watch({ ...order, policy: config.watchdog, uid: config.account?.uid });
  const supervisor = await runningSupervisorOf(name, context);
  const claimed = await becomeUser(config, home, early);
  // of the account that it is now
  const ownEnv = config.account === undefined ? env : process.env;
  const runtimeDir = makeRuntimeDir(home, ownEnv, process.getuid?.() ?? 0);
  const { assignment, budgets } = planProcess(loaded, {
    home,
    env: ownEnv,
    runtimeDir,
    supervisor,
    force: hasFlag(invocation, 'force'),
    replace: hasFlag(invocation, 'replace'),
  });
  const ears = managerEars({
    profile: name,
    voice: openVoice({ env, pid: process.pid, trouble: (detail) => terminal.error(detail) }),
    stopLimitMs: config.afterTurnMs + budgets.at['manager-stop'],
  });
  const { runStandaloneGateway } = await import('../../gateway/standalone.js');
  try {
    return await runStandaloneGateway(assignment, {
      watchdog,
      early: claimed,
      ...(name === DEFAULT_PROFILE ? { guests: guestsOf(context, runtimeDir) } : {}),
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

/**
 * Root gives itself up before anything of the profile is opened; what it had claimed as itself is
 * claimed again as the account.
 */
async function becomeUser(
  { account, name }: ProfileConfig,
  home: string,
  early: ClaimedProfile | undefined,
): Promise<ClaimedProfile | undefined> {
  if (account === undefined) return early;
  early?.lock.release();
  // its sockets are made by itself, in a directory of its own
  prepareAccount({ account, name, home, socketDir: undefined });
  const { becomeAccount } = await import('../../gateway/become-account.js');
  becomeAccount({ account, profile: name, stateDir: profileLayout(home, name).stateDir });
  return undefined;
}

/** Read anew each time: who asks for another look has changed the files. */
function guestsOf(context: Context, runtimeDir: string): StandaloneGuests {
  const { env, home, terminal } = context;
  return {
    wanted: () => {
      const loaded = loadGood(DEFAULT_PROFILE, context);
      for (const { name, problems } of unservable(loaded.all)) {
        terminal.error(`${name} cannot be served: ${renderProblems(problems)}`);
      }
      return planGuests(loaded, { home, env, runtimeDir });
    },
    onReady: (profile, { listen }) => terminal.notice(`${profile} is served: ${listen.join(' ')}`),
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
function loadGood(name: string, { env, home }: Context): GoodConfig {
  const all = loadConfig(home, env, name);
  const profile = all.profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, home);
  if (profile.kind === 'good') return { all, config: profile.config };
  throw configInvalid(profile.problems);
}
