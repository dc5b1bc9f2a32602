import { homeLayout, profileLayout } from '../../config/paths.js';
import type { HistoryRow } from '../../core/control.js';
import type { Death } from '../../core/death.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { hasGeneration } from '../../core/lifecycle.js';
import type { ControlClient } from '../control/client.js';
import { judgeStart, strangerUidOf } from '../control/no-supervisor.js';
import { type Reach, reach } from '../control/reach.js';
import { knownProfiles } from '../known-profiles.js';
import { readLastLines } from '../last-lines.js';
import { formatSpan } from '../render/units.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { explain } from '../why/explain.js';
import { explainStored } from '../why/explain-stored.js';
import type { EvidenceSeen, Why } from '../why/facts.js';
import { renderWhy } from '../why/render-why.js';
import { selectProfiles, viewOf } from './status.js';

const ROWS_READ = 100;

/** One paragraph about one profile; from the store when no supervisor answers. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const name = invocation.words[0] ?? '';
  const found = await reach(context.home, context.env);
  const told =
    found.kind === 'answers'
      ? await askSupervisor(name, context.home, found)
      : await askStore(name, context, found);
  if (hasFlag(invocation, 'json')) context.terminal.out(JSON.stringify(told));
  else context.terminal.out(renderWhy(told.why, viewOf(context)));
  return CLI_EXIT.done;
}

/** The answer with what it was made from, for programs. */
interface Told {
  readonly profile: string;
  readonly why: Why;
  readonly status: unknown;
  readonly deaths: readonly Death[];
}

async function askSupervisor(
  name: string,
  home: string,
  { client, report }: Extract<Reach, { kind: 'answers' }>,
): Promise<Told> {
  const [status] = selectProfiles(report, [name]).profiles;
  if (status === undefined) throw new Error(`no status of ${name}`);
  const rows = await readRowsFrom(client, name);
  const deaths = deathsIn(rows);
  // a run that is over has taken its lines along; its log has them still
  const isOver = status.lastLines.length === 0 && !hasGeneration(status.state);
  const lastLines = isOver ? await readLastLines(home, name, deaths.at(-1)) : status.lastLines;
  const profile = { ...status, lastLines };
  const why = explain({ profile, deaths, evidence: newestEvidenceIn(rows), nowMs: Date.now() });
  return { profile: name, why, status: profile, deaths };
}

/** A history that cannot be read must not hide the state. */
async function readRowsFrom(client: ControlClient, name: string): Promise<readonly HistoryRow[]> {
  try {
    const query = { profile: name, since: undefined, limit: ROWS_READ };
    const { rows } = await client.history(query);
    return rows;
  } catch (thrown) {
    if (thrown instanceof GatewardenError) return [];
    throw thrown;
  }
}

/** Oldest first. */
function deathsIn(rows: readonly HistoryRow[]): readonly Death[] {
  return rows.flatMap(({ event }) => (event.code === 'died' ? [event.death] : [])).reverse();
}

/** The rows come newest first. */
function newestEvidenceIn(rows: readonly HistoryRow[]): EvidenceSeen | undefined {
  for (const { at, event } of rows) {
    if (event.code !== 'evidence') continue;
    const { kind, where, path } = event;
    return { kind, where, path, atMs: Date.parse(at) };
  }
  return undefined;
}

async function askStore(
  name: string,
  { env, home }: Context,
  found: Exclude<Reach, { kind: 'answers' }>,
): Promise<Told> {
  const { readDeaths, readEarlierLife, readRegularFile, readStoredState } = await import(
    '../../store/index.js'
  );
  const { newestEvidence } = await import('../../watchdog/newest-evidence.js');
  const { liveGateways } = await import('../live-gateways.js');
  const path = homeLayout(home).supervisorDb;
  const stored = readStoredState(path);
  const known = [...new Set([...knownProfiles(home), ...(stored?.desired.keys() ?? [])])].sort();
  if (!known.includes(name)) {
    throw new GatewardenError('unknown-profile', { got: name, known: known.join(', ') || 'none' });
  }
  const deaths = readDeaths(path, name, ROWS_READ);
  const { evidenceDir, ledger } = profileLayout(home, name);
  const [live] = liveGateways(home, [name]);
  const { seeUnits } = await import('../units/sights.js');
  const { readLastWords } = await import('../units/last-words.js');
  const units = await seeUnits(home, env);
  const unit =
    units.find(({ profile }) => profile === name) ?? units.find(({ profile }) => profile === null);
  const logged = await readLastLines(home, name, deaths.at(-1));
  const start = judgeStart({ units, strangerUid: strangerUidOf(home) });
  const why = explainStored({
    name,
    desired: stored?.desired.get(name)?.desired,
    deaths,
    lastGeneration: stored?.generations.get(name),
    live,
    life: readEarlierLife(ledger),
    note: newestEvidence(evidenceDir, readRegularFile),
    left: await leftOf(name, home, found),
    counters: stored?.counters.get(name) ?? {},
    supervisor: describeAbsence(found),
    unit,
    start: unit?.profile === name ? `start it with: gatewarden start ${name}` : start,
    // what it says before its log is open is only with its manager
    lastLines: unit === undefined || logged.length > 0 ? logged : await readLastWords(unit, home),
    nowMs: Date.now(),
  });
  return { profile: name, why, status: null, deaths };
}

function describeAbsence(found: Exclude<Reach, { kind: 'answers' }>): string {
  if (found.kind === 'none') return 'no supervisor runs';
  return `the supervisor (pid ${found.pid ?? 'unknown'}) did not answer within ${formatSpan(found.waitedMs)}`;
}

/** While a supervisor is there, only silent, what runs has an owner. */
async function leftOf(
  name: string,
  home: string,
  found: Exclude<Reach, { kind: 'answers' }>,
): Promise<number[]> {
  if (found.kind !== 'none') return [];
  const { ownerlessProcesses } = await import('../left-processes.js');
  return ownerlessProcesses(home).flatMap(({ pid, profile }) => (profile === name ? [pid] : []));
}
