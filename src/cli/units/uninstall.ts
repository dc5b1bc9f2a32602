import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { asAccount } from '../../../units/as-account.js';
import { foreignHomeFile } from '../../../units/claim.js';
import { envFilePath, homeFiles, launcherPath } from '../../../units/home-files.js';
import { type InstalledUnit, readInstalled } from '../../../units/installed.js';
import { entryName } from '../../../units/unit-files.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { Context, Invocation } from '../verb.js';
import { leaveUnlessReady, managerOf } from './choose-manager.js';
import { refuseForeign } from './claims.js';
import { requireRights } from './guards.js';
import { unitsOfHome } from './rivals.js';
import { readTarget, type Target } from './target.js';

/** A stop that takes longer than any budget we write: the manager has killed by then. */
const STOP_LIMIT_MS = 600_000;

/**
 * Stops and removes units of this home; a broken configuration does not keep them. Of another
 * home nothing is touched.
 */
export async function uninstall(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  requireRights(target, 'remove');
  const installed = readInstalled(target.manager, target.folder);
  const units = chooseInstalled(target, invocation, installed);
  const manager = managerOf(target, env);
  if (!target.isElsewhere) {
    const left = leaveUnlessReady(await manager.preflight(), target, context);
    if (left !== undefined) return left;
  }
  if (units.length === 0)
    terminal.out(`nothing of ${target.home} is installed in ${target.folder}`);
  const isAsked = !target.isElsewhere && target.manager !== 'launchd';
  for (const { name, path, service } of units) {
    if (isAsked) {
      await manager.order('stop', name, service.stopMs ?? STOP_LIMIT_MS);
      await manager.order('disable', name, 0);
    }
    rmSync(path, { recursive: true });
    terminal.out(`removed ${path}`);
  }
  if (isAsked && units.length > 0) await manager.settle([]);
  if (target.manager === 'launchd') tellLaunchd(target, units, context);
  if (!target.isElsewhere) await removeHomeFiles(target, context);
  return CLI_EXIT.done;
}

/**
 * Those that the command line names and that are there.
 * @throws GatewardenError unit-of-another-home, unit-not-ours
 */
function chooseInstalled(
  target: Target,
  invocation: Invocation,
  installed: readonly InstalledUnit[],
): readonly InstalledUnit[] {
  const names =
    invocation.options['all-profiles'] === true
      ? gatewaysOf(target.home, installed)
      : target.subjects.map((subject) => entryName({ ...target, subject }));
  refuseForeign(target, names, 'remove');
  return installed.filter(({ name }) => names.includes(name));
}

/** Also those of profiles that are gone by now. */
function gatewaysOf(home: string, installed: readonly InstalledUnit[]): readonly string[] {
  return installed.flatMap((unit) =>
    unit.home === home && unit.service.argv?.includes('run') === true ? [unit.name] : [],
  );
}

/** The last unit of a home takes along what was written beside it, but not what an operator wrote. */
async function removeHomeFiles(target: Target, { env, terminal }: Context): Promise<void> {
  if ((await unitsOfHome(target, env)).length > 0) return;
  const template = homeFiles(target.home, { entry: '', node: '' });
  asAccount(target.owner, () => {
    const launcher = launcherPath(target.home);
    const envFile = envFilePath(target.home);
    const isForeign = foreignHomeFile({ path: launcher, keep: false }) !== undefined;
    if (isForeign) terminal.out(`kept ${launcher}: gatewarden did not write it`);
    else if (removeIfThere(launcher)) terminal.out(`removed ${launcher}`);
    removeEmptyFolder(dirname(launcher));
    const untouched = template.find(({ path }) => path === envFile)?.text;
    const text = readText(envFile);
    if (text === undefined) return;
    if (text === untouched && removeIfThere(envFile)) terminal.out(`removed ${envFile}`);
    else terminal.out(`kept ${envFile}: it has settings of yours`);
  });
}

function removeIfThere(path: string): boolean {
  if (readText(path) === undefined) return false;
  rmSync(path);
  return true;
}

function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // something of the operator's is in it, or it is not there
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function tellLaunchd({ owner, scope }: Target, units: readonly InstalledUnit[], context: Context) {
  const domain = scope === 'user' ? `gui/${owner.uid}` : 'system';
  for (const { name } of units) context.terminal.out(`next: launchctl bootout ${domain}/${name}`);
}
