import { prepareAccount } from '../../../supervisor/accounts/prepare-account.js';
import { enableLinger, isLingering } from '../../../units/systemd/preflight.js';
import type { UnitManager } from '../../../units/unit-manager.js';
import { FIXED_BUDGETS } from '../../core/budgets.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { combineCodes } from '../render/outcome.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { leaveUnlessReady, managerOf } from './choose-manager.js';
import { type Drift, isCurrent, removeDrift, writtenPaths } from './current.js';
import { guardLive } from './guard-live.js';
import { guardInstall, refuseTemporaryHome, requireRights, twinNotice } from './guards.js';
import { type HeldDown, heldDown } from './held-down.js';
import { describeObserved, exitCodeOf, observeRun } from './observe.js';
import { unitsOfHome } from './rivals.js';
import { readTarget, type Target } from './target.js';
import { type Wanted, type WantedEntry, wantedUnits } from './wanted.js';

/** Writes what is missing or stale, tells the manager, and with --now waits until it runs. */
export async function install(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  requireRights(target, 'install');
  refuseTemporaryHome(target, env);
  const wanted = wantedUnits(target, env, '/bin/sh');
  const rivals = await unitsOfHome(target, env);
  const configured = await guardInstall(target, wanted, { env, rivals });
  await guardLive(target, configured, context);
  const manager = managerOf(target, env);
  if (!target.isElsewhere) {
    const left = leaveUnlessReady(await manager.preflight(), target, context);
    if (left !== undefined) return left;
  }
  const notice = twinNotice(target, wanted, rivals);
  if (notice !== undefined) terminal.error(`notice: ${notice}`);
  prepareAccounts(target, wanted);
  const isNow = hasFlag(invocation, 'now');
  const drift = await removeDrift(target, wanted, !isNow && !target.isElsewhere);
  for (const path of writtenPaths(drift)) terminal.out(`wrote ${path}`);
  const held = await heldDown(target, manager);
  if (isCurrent(drift) && held.length === 0) {
    terminal.out('everything is written already, as it should be');
  }
  if (target.isElsewhere) return CLI_EXIT.done;
  const installation: Installation = { invocation, context, target, wanted, drift, held, manager };
  return target.manager === 'launchd' ? tellLaunchd(installation) : adopt(installation);
}

/** What a supervisor does before each start: a unit starts as the account at once. */
function prepareAccounts({ home, isElsewhere }: Target, { entries }: Wanted): void {
  if (isElsewhere) return;
  for (const { account, service } of entries) {
    if (account === undefined || service.subject.kind === 'supervisor') continue;
    prepareAccount({ account, name: service.subject.profile, home, socketDir: undefined });
  }
}

interface Installation {
  readonly invocation: Invocation;
  readonly context: Context;
  readonly target: Target;
  readonly wanted: Wanted;
  readonly drift: Drift;
  readonly held: readonly HeldDown[];
  readonly manager: UnitManager;
}

async function adopt(installation: Installation): Promise<number> {
  const { context, held, invocation, manager, target, wanted } = installation;
  const isNow = hasFlag(invocation, 'now');
  const names = wanted.entries.map(({ name }) => name);
  await manager.settle(names);
  // a slot that nobody asked to start waits for a verb; a unit waits for the next boot
  const isEnabled = isNow || target.manager !== 's6';
  const enabled = isEnabled ? names : held.map(({ name }) => name);
  for (const name of enabled) await manager.order('enable', name, 0);
  for (const { path } of held) context.terminal.out(`removed ${path}`);
  if (target.manager === 'systemd' && target.scope === 'user') await ensureLinger(target, context);
  const codes = await Promise.all(
    wanted.entries.map((entry) =>
      isNow ? runNow(entry, installation) : tellNotRunning(entry, installation),
    ),
  );
  return combineCodes(codes);
}

/** A user's services end at logout without it, and do not start at boot. */
async function ensureLinger({ owner }: Target, { terminal }: Context): Promise<void> {
  if (isLingering(owner.name) === true || (await enableLinger(owner.name))) return;
  terminal.error(
    `notice: services of ${owner.name} end at logout and do not start at boot; cure it with: sudo loginctl enable-linger ${owner.name}`,
  );
}

/** One that runs with what was written before is started afresh, and only then. */
async function runNow(entry: WantedEntry, installation: Installation): Promise<number> {
  const { context, manager, target } = installation;
  const before = await manager.state(entry.name);
  const isStale = before.pid !== undefined && isTouched(entry, installation);
  const { budgets } = entry.service;
  if (before.pid === undefined || isStale) {
    await manager.order(isStale ? 'restart' : 'start', entry.name, budgets.stopMs);
  }
  const observed = await observeRun({
    manager,
    name: entry.name,
    subject: entry.service.subject,
    home: target.home,
    env: context.env,
    oldPid: isStale ? before.pid : undefined,
    deadlineMs:
      Date.now() + budgets.startMs + (isStale ? budgets.stopMs : 0) + FIXED_BUDGETS.clientReserveMs,
  });
  for (const line of describeObserved(entry.name, observed)) context.terminal.out(line);
  return exitCodeOf(observed);
}

function isTouched(entry: WantedEntry, { drift }: Installation): boolean {
  const written = writtenPaths(drift);
  return drift.home.length > 0 || entry.files.some(({ path }) => written.includes(path));
}

async function tellNotRunning(entry: WantedEntry, installation: Installation): Promise<number> {
  const { context, manager } = installation;
  const state = await manager.state(entry.name);
  const isOld = state.pid !== undefined && isTouched(entry, installation);
  const next = isOld
    ? 'it runs with what was installed before until it is restarted'
    : state.pid === undefined
      ? 'start it with --now'
      : 'it runs';
  context.terminal.out(`${entry.name}: installed, ${state.words}; ${next}`);
  return CLI_EXIT.done;
}

function tellLaunchd({ context, target, wanted }: Installation): number {
  const domain = target.scope === 'user' ? `gui/${target.owner.uid}` : 'system';
  for (const { files } of wanted.entries) {
    context.terminal.out(`next: launchctl bootstrap ${domain} ${files[0]?.path ?? ''}`);
  }
  return CLI_EXIT.done;
}
