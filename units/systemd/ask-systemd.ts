import type { Environment } from '../../src/config/paths.js';
import type { Account } from '../service.js';
import type { ManagedState, UnitManager } from '../unit-manager.js';
import type { Preflight } from './judge-preflight.js';
import type { SystemdScope } from './policy.js';
import { preflight } from './preflight.js';
import { Systemctl } from './systemctl.js';
import { describeUnitState, type UnitState } from './unit-state.js';

/** systemd, in one of its scopes. */
export function createSystemdManager(
  scope: SystemdScope,
  owner: Account,
  env: Environment,
): UnitManager {
  let systemctl = new Systemctl(scope, env);
  return {
    async preflight(): Promise<Preflight> {
      const found = await preflight(scope, owner, env);
      if (found.kind === 'ready' && found.runtimeDir !== undefined) {
        systemctl = new Systemctl(scope, inRuntimeDir(env, found.runtimeDir));
      }
      return found;
    },
    settle: () => systemctl.reload(),
    async order(verb, name, limitMs) {
      switch (verb) {
        case 'start':
        case 'restart':
          // a unit that has failed before would count that against us
          await systemctl.do(['reset-failed', name]).catch(() => undefined);
          return systemctl.do([verb, '--no-block', name]);
        case 'stop':
          return systemctl.do(['stop', name], limitMs);
        case 'enable':
          return systemctl.do(['enable', name]);
        case 'disable':
          return systemctl.do(['disable', name]);
        default:
          return verb satisfies never;
      }
    },
    state: async (name) => toManaged(await systemctl.show(name), name, systemctl),
  };
}

/** The bus of another account may be set too: it goes with its directory. */
function inRuntimeDir(env: Environment, runtimeDir: string): Environment {
  return {
    ...env,
    XDG_RUNTIME_DIR: runtimeDir,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtimeDir}/bus`,
  };
}

function toManaged(state: UnitState, name: string, systemctl: Systemctl): ManagedState {
  const isFailed = state.active === 'failed';
  return {
    isInstalled: state.load !== 'not-found',
    pid: state.mainPid,
    isReady: state.active === 'active' || state.active === 'reloading',
    isResting: isFailed || state.active === 'inactive',
    isFailed,
    exitCode: state.exitCode,
    words: describeUnitState(state),
    look: `journalctl${systemctl.scope === 'user' ? ' --user' : ''} -u ${name}`,
  };
}
