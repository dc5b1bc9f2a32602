import { join } from 'node:path';
import type { Environment } from '../src/config/paths.js';
import type { Manager, Scope } from './managers.js';

const SYSTEM_UNITS = '/etc/systemd/system';
const S6_SCAN_DIRECTORY = '/run/service';

/** Where a manager looks for what we write. */
export function managerFolder(
  manager: Manager,
  scope: Scope,
  who: { readonly env: Environment; readonly accountHome: string },
): string {
  const { env, accountHome } = who;
  switch (manager) {
    case 'systemd':
      return scope === 'system' ? SYSTEM_UNITS : join(configHome(env, accountHome), 'systemd/user');
    case 's6':
      // the name that container images know (spec/supervision.md 3.1)
      return env.S6_PROFILE_GATEWAY_SCANDIR || S6_SCAN_DIRECTORY;
    case 'launchd':
      return scope === 'system'
        ? '/Library/LaunchDaemons'
        : join(accountHome, 'Library/LaunchAgents');
    default:
      return manager satisfies never;
  }
}

function configHome(env: Environment, accountHome: string): string {
  const set = env.XDG_CONFIG_HOME;
  return set?.startsWith('/') ? set : join(accountHome, '.config');
}
