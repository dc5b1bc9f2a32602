import { homeLayout } from '../../config/paths.js';
import type { HistoryReport } from '../../core/control.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { HistoryQuery } from '../control/client.js';
import { reach } from '../control/reach.js';
import { knownProfiles } from '../known-profiles.js';
import { renderHistory } from '../render/history.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';
import { viewOf } from './status.js';

const DEFAULT_LIMIT = 50;

/** Oldest first, so that the newest stands above the prompt; --json is one row per line. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { terminal } = context;
  const query: HistoryQuery = {
    profile: invocation.words[0],
    since: numberOption(invocation, 'since'),
    limit: numberOption(invocation, 'limit') ?? DEFAULT_LIMIT,
  };
  const report = await readReport(query, context);
  refuseUnknown(query.profile, report, context.home);
  if (hasFlag(invocation, 'json')) {
    for (const row of report.rows) terminal.out(JSON.stringify(row));
    return CLI_EXIT.done;
  }
  terminal.out(renderHistory(report, query, viewOf(context)));
  return CLI_EXIT.done;
}

/** One that was removed has a history still; a name that nobody ever had is a slip. */
function refuseUnknown(name: string | undefined, report: HistoryReport, home: string): void {
  if (name === undefined || report.rows.length > 0 || name in report.counters) return;
  if (!knownProfiles(home).includes(name)) throw unknownProfile(name, home);
}

/** From the supervisor, or from the store when none answers; oldest first. */
async function readReport(query: HistoryQuery, context: Context): Promise<HistoryReport> {
  const found = await reach(context.home, context.env);
  if (found.kind === 'answers') {
    const { rows, counters } = await found.client.history(query);
    return { rows: [...rows].reverse(), counters };
  }
  context.terminal.notice('no supervisor answers; this is what the store remembers');
  const { readHistory } = await import('../../store/index.js');
  const { rows, counters } = readHistory(homeLayout(context.home).supervisorDb, {
    profile: query.profile,
    sinceMs: query.since,
    limit: query.limit,
  });
  return { rows: [...rows].reverse(), counters };
}
