import { GatewardenError, renderError } from '../../core/errors.js';
import { STATUS_EXIT } from '../../core/exit-codes.js';
import { judgeStatus, type StatusReport } from '../../core/status.js';
import { type Reach, reach, unreachable } from '../control/reach.js';
import { renderStatus } from '../render/status-table.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

/** Exits with STATUS_EXIT: scripts branch on it. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  if (hasFlag(invocation, 'watch')) {
    const { watchStatus } = await import('./status-watch.js');
    return watchStatus(invocation, context);
  }
  const found = await reach(context.home, context.env);
  if (found.kind !== 'answers') return tellDown(invocation, context, found);
  const report = selectProfiles(found.report, invocation.words);
  if (hasFlag(invocation, 'json')) context.terminal.out(JSON.stringify(report));
  else {
    context.terminal.out(renderStatus(report, viewOf(context)));
    await tellTwins(context);
    await tellStray(context, report.supervisor.pid);
  }
  return STATUS_EXIT[judgeStatus(report)];
}

/** Two managers that both mean to run us: who is asked answers for one of them only. */
async function tellTwins({ env, home, terminal }: Context): Promise<void> {
  const { findOwnUnits } = await import('../units/own-units.js');
  const { describeTwins, findTwins, remedyForTwins } = await import('../units/twins.js');
  for (const pair of findTwins(await findOwnUnits(home, env))) {
    terminal.out(`notice: ${describeTwins(pair)}\n  ${terminal.aim(remedyForTwins(pair))}`);
  }
}

/** Its watcher died, or somebody started it by hand: the unit is refused, or rests, beside it. */
async function tellStray({ env, home, terminal }: Context, pid: number): Promise<void> {
  const { describeStray, seeUnits } = await import('../units/sights.js');
  for (const unit of await seeUnits(home, env)) {
    const told = describeStray(unit, pid);
    if (told !== undefined) terminal.out(terminal.aim(told));
  }
}

/** Only the named profiles, in the order of the report. @throws GatewardenError unknown-profile */
export function selectProfiles(report: StatusReport, names: readonly string[]): StatusReport {
  if (names.length === 0) return report;
  const known = report.profiles.map((profile) => profile.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new GatewardenError('unknown-profile', {
      got: unknown,
      known: known.join(', ') || 'none',
    });
  }
  return { ...report, profiles: report.profiles.filter(({ name }) => names.includes(name)) };
}

export function viewOf({ terminal }: Context) {
  const { columns, paint, verbose } = terminal;
  const aim = (hint: string) => terminal.aim(hint);
  return { columns, paint, verbose, aim, nowMs: Date.now() };
}

/** No supervisor answers: say so, and what is known from the store. */
async function tellDown(
  invocation: Invocation,
  context: Context,
  found: Exclude<Reach, { kind: 'answers' }>,
): Promise<number> {
  const { terminal, home } = context;
  const { readLastKnown } = await import('../last-known.js');
  const lastKnown = await readLastKnown(home, invocation.words, found.kind !== 'none');
  const { describeSight, judgeSights, seeUnits } = await import('../units/sights.js');
  const units = await seeUnits(home, context.env);
  const error = unreachable(found, home, units);
  const code = judgeSights(units) ?? STATUS_EXIT.noSupervisor;
  const { describeLive, liveGateways } = await import('../live-gateways.js');
  const running = liveGateways(home, invocation.words);
  if (hasFlag(invocation, 'json')) {
    terminal.out(
      JSON.stringify({
        supervisor: null,
        error: { code: error.code, message: error.message, next: error.next },
        profiles: lastKnown,
        units,
        running,
      }),
    );
    return code;
  }
  // gateways with units of their own need no supervisor
  if (code === STATUS_EXIT.noSupervisor) terminal.error(renderError(error));
  for (const unit of units) terminal.out(describeSight(unit));
  for (const gateway of running) terminal.out(describeLive(gateway));
  if (lastKnown.length > 0) {
    const { renderLastKnown } = await import('../render/last-known.js');
    terminal.out(renderLastKnown(lastKnown, viewOf(context)));
  }
  await tellTwins(context);
  return code;
}
