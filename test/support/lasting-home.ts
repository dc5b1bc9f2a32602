import { mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolderOf } from '../../units/temporary-home.js';
import { runCli, type Scope } from './run-cli.js';

/** A home that no reboot empties, and folders for managers beside it; undefined: no place for one. */
export async function lastingHome(t: Scope) {
  const place = [process.cwd(), homedir()].find((path) => temporaryFolderOf(path) === undefined);
  if (place === undefined) return undefined;
  const root = mkdtempSync(join(place, '.gw-lasting-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const [home, slots, config] = ['home', 'service', 'config'].map((name) => join(root, name));
  if (home === undefined || slots === undefined || config === undefined) return undefined;
  const env = {
    GATEWARDEN_HOME: home,
    HOME: root,
    XDG_CONFIG_HOME: config,
    S6_PROFILE_GATEWAY_SCANDIR: slots,
  };
  await runCli(['init'], { env });
  const install = (...args: readonly string[]) => runCli(['units', 'install', ...args], { env });
  return { env, home, root, slots, userUnits: join(config, 'systemd', 'user'), install };
}

export const NO_LASTING_PLACE = 'needs a working directory or a home outside of /tmp and /run';
