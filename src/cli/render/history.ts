import type { HistoryReport } from '../../core/control.js';
import { renderEvent } from './event-line.js';
import { describeCounters } from './profile-words.js';
import type { View } from './status-table.js';

/** Rows in the given order, then each profile's counters by cause. */
export function renderHistory(
  report: HistoryReport,
  query: { readonly profile: string | undefined },
  view: View,
): string {
  const rows = report.rows.map(({ at, cursor, event }) =>
    renderEvent({ cursor, event, atMs: Date.parse(at) }, view.nowMs, view.paint),
  );
  const counters = Object.entries(report.counters)
    .filter(([name]) => query.profile === undefined || name === query.profile)
    .map(([name, counts]) => ({ name, text: describeCounters(counts) }))
    .filter(({ text }) => text !== '')
    .map(({ name, text }) => `restarts of ${name} in all: ${text}`);
  const body = rows.length === 0 ? ['nothing on record'] : rows;
  return counters.length === 0 ? body.join('\n') : [...body, '', ...counters].join('\n');
}
