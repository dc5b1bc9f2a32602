import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeHash } from '../../src/config/paths.js';
import type { Manager } from '../../units/managers.js';
import { runCli, type Scope, scratchHome } from './run-cli.js';

/** A home in a scratch root; units go to a folder beside it, and no manager is told. */
export async function unitFolder(t: Scope) {
  const { env, home, root } = scratchHome(t);
  await runCli(['init'], { env });
  const out = join(root, 'units');
  const units = (...args: readonly string[]) =>
    runCli(['units', ...args, '--user', '--out', out], { env });
  const configure = (file: string, config: unknown) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), JSON.stringify(config), { mode: 0o600 });
  };
  return { env, home, root, out, units, configure, pathOf: supervisorPaths(home, out) };
}

/** Where each manager's unit of the supervisor goes. */
function supervisorPaths(home: string, out: string): Readonly<Record<Manager, string>> {
  const hash = homeHash(home);
  return {
    systemd: join(out, `gatewarden-${hash}.service`),
    s6: join(out, 'gatewarden'),
    launchd: join(out, `dev.gatewarden.supervisor-${hash}.plist`),
  };
}
