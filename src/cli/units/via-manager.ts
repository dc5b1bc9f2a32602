import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asAccount } from '../../../units/as-account.js';
import type { UnitManager } from '../../../units/unit-manager.js';
import { profileLayout } from '../../config/paths.js';
import { FIXED_BUDGETS } from '../../core/budgets.js';
import { GatewardenError, renderError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { Desired } from '../../core/status.js';
import { writeJsonFile } from '../../store/index.js';
import type { Reach } from '../control/reach.js';
import { knownProfiles } from '../known-profiles.js';
import { combineCodes } from '../render/outcome.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';
import { managerOf } from './choose-manager.js';
import { installedBudgets } from './installed-budgets.js';
import { describeObserved, exitCodeOf, observeRun } from './observe.js';
import { findOwnUnits, type OwnUnit } from './own-units.js';
import { describeRepair, repairUnit } from './repair.js';

type OperatedVerb = 'start' | 'stop' | 'restart';

/**
 * start, stop and restart where no supervisor answers but a manager owns one, or owns gateways
 * of their own.
 * @returns the exit code; undefined when the caller goes on: nothing is installed for this, or
 *   the supervisor answers by now
 */
export async function viaManager(
  invocation: Invocation,
  context: Context,
  found: Reach,
): Promise<number | undefined> {
  const { verb } = invocation;
  if (verb !== 'start' && verb !== 'stop' && verb !== 'restart') return undefined;
  const units = await findOwnUnits(context.home, context.env);
  const supervisor = units.find(({ subject }) => subject.kind === 'supervisor');
  if (supervisor !== undefined) {
    const isWhole = hasFlag(invocation, 'all') || invocation.words.length === 0;
    // stopping one profile is not stopping them all
    if (verb === 'stop' && !isWhole) return undefined;
    const code = await operate(supervisor, verb, { invocation, context });
    const goesOn = verb === 'start' && code === CLI_EXIT.done && found.kind === 'none';
    return goesOn && meansProfiles(invocation, context) ? undefined : code;
  }
  const chosen = chooseGateways(units, invocation);
  if (chosen.length === 0) return undefined;
  const codes = await Promise.all(
    chosen.map((unit) => operate(unit, verb, { invocation, context })),
  );
  return combineCodes(codes);
}

/** Named, all, or the only one; without any of these it is the supervisor that was to be started. */
function meansProfiles(invocation: Invocation, { home }: Context): boolean {
  const isAsked = invocation.words.length > 0 || hasFlag(invocation, 'all');
  return isAsked || knownProfiles(home).length === 1;
}

/** Named, all, or the only one. */
function chooseGateways(units: readonly OwnUnit[], invocation: Invocation): readonly OwnUnit[] {
  const { words } = invocation;
  if (words.length === 0) return hasFlag(invocation, 'all') || units.length === 1 ? units : [];
  const chosen = units.filter(
    ({ subject }) => subject.kind === 'gateway' && words.includes(subject.profile),
  );
  // a name without a unit is for the caller to refuse
  return chosen.length === new Set(words).size ? chosen : [];
}

interface Asked {
  readonly invocation: Invocation;
  readonly context: Context;
}

async function operate(unit: OwnUnit, verb: OperatedVerb, asked: Asked): Promise<number> {
  const { terminal, env } = asked.context;
  const manager = managerOf(unit.target, env);
  try {
    const ready = await manager.preflight({ name: unit.name, to: 'command' });
    if (ready.kind !== 'ready') {
      const because = 'because' in ready ? ready.because : 'it cannot be asked';
      throw new GatewardenError('manager-missing', {
        manager: unit.target.manager,
        reason: because,
        hint: 'remedy' in ready ? ready.remedy : 'run gatewarden up',
      });
    }
    if (verb === 'stop') return await stop(unit, manager, asked);
    const told = describeRepair(unit, await repairUnit(unit, env));
    if (told !== undefined) terminal.notice(`notice: ${told}`);
    return await run(unit, manager, { ...asked, verb });
  } catch (thrown) {
    // one unit's failure must not hide what became of the others
    if (!(thrown instanceof GatewardenError)) throw thrown;
    terminal.error(renderError(thrown));
    return thrown.exitCode;
  }
}

async function stop(
  unit: OwnUnit,
  manager: UnitManager,
  { context: { terminal } }: Asked,
): Promise<number> {
  const { stopMs } = installedBudgets(unit);
  rememberDesired(unit, 'stopped');
  await manager.order('stop', unit.name, stopMs + FIXED_BUDGETS.clientReserveMs);
  const state = await manager.state(unit.name);
  terminal.out(`${unit.name}: ${state.words}`);
  return state.pid === undefined ? CLI_EXIT.done : CLI_EXIT.unfinished;
}

/**
 * Slots live in memory: the next boot makes them again, and starts them as an operator last asked
 * for. systemd remembers by itself.
 */
function rememberDesired({ subject, target }: OwnUnit, desired: Desired): void {
  if (target.manager !== 's6' || subject.kind !== 'gateway') return;
  const path = join(profileLayout(target.home, subject.profile).stateDir, 'desired.json');
  // the account writes it too, with the same verbs
  asAccount(target.owner, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeJsonFile(path, { desired, at: new Date().toISOString() });
  });
}

async function run(
  unit: OwnUnit,
  manager: UnitManager,
  { context, invocation, verb }: Asked & { readonly verb: 'start' | 'restart' },
): Promise<number> {
  const { terminal, env, home } = context;
  const { name, subject } = unit;
  const before = await manager.state(name);
  const budgets = installedBudgets(unit);
  rememberDesired(unit, 'running');
  await manager.order(verb, name, budgets.stopMs);
  if (hasFlag(invocation, 'no-wait')) {
    terminal.out(`${name}: ${verb} was asked for`);
    return CLI_EXIT.done;
  }
  const limitMs =
    numberOption(invocation, 'timeout') === undefined
      ? budgets.startMs + budgets.stopMs + FIXED_BUDGETS.clientReserveMs
      : (numberOption(invocation, 'timeout') ?? 0) * SECOND_MS;
  terminal.notice(`${name}: asked to ${verb}, waiting at most ${Math.ceil(limitMs / SECOND_MS)} s`);
  const observed = await observeRun({
    manager,
    name,
    subject,
    home,
    env,
    oldPid: verb === 'restart' ? before.pid : undefined,
    deadlineMs: Date.now() + limitMs,
  });
  for (const line of describeObserved(name, observed)) terminal.out(line);
  return exitCodeOf(observed);
}

const SECOND_MS = 1000;
