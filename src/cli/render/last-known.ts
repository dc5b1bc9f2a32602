import type { LastKnown } from '../last-known.js';
import { readableLine } from './foreign-line.js';
import type { View } from './status-table.js';
import { renderTable } from './table.js';
import { formatAge } from './units.js';

/** What the store remembers, under a title that cannot be taken for the present. */
export function renderLastKnown(profiles: readonly LastKnown[], view: View): string {
  const rows = profiles.map(({ name, desired, lastExit }) => [
    { text: name, paint: view.paint.bold },
    { text: desired ?? 'as configured' },
    {
      text:
        lastExit === null
          ? '-'
          : `${lastExit.how} (${lastExit.cause}) ${formatAge(lastExit.at, view.nowMs)} ago`,
    },
  ]);
  const columns = [{ title: 'PROFILE' }, { title: 'WANTED' }, { title: 'LAST EXIT' }];
  const [header = '', ...lines] = renderTable(columns, rows, view.paint.dim);
  const details = profiles.map(({ lastExit }) => lastExit?.detail ?? '');
  return [
    'last known:',
    header,
    ...lines.flatMap((line, index) => {
      const detail = readableLine(details[index] ?? '');
      return detail === '' ? [line] : [line, `  ${detail}`];
    }),
  ].join('\n');
}
