import type { LastKnown } from '../last-known.js';
import { readableLine } from './foreign-line.js';
import { leftSentence } from './left-sentence.js';
import type { View } from './status-table.js';
import { renderTable } from './table.js';
import { formatAge } from './units.js';

/** What the store remembers, under a title that cannot be taken for the present. */
export function renderLastKnown(profiles: readonly LastKnown[], view: View): string {
  const rows = profiles.map((profile) => [
    { text: profile.name, paint: view.paint.bold },
    { text: profile.desired ?? 'as configured' },
    { text: describeEnd(profile, view.nowMs) },
  ]);
  const columns = [{ title: 'PROFILE' }, { title: 'WANTED' }, { title: 'LAST EXIT' }];
  const [header = '', ...lines] = renderTable(columns, rows, view.paint.dim);
  const details = profiles.map(({ diedUnseen, lastExit, left }) => {
    const words = diedUnseen ? '' : readableLine(lastExit?.detail ?? '');
    return [words, leftSentence(left)].filter((text) => text !== '');
  });
  return [
    'last known:',
    header,
    ...lines.flatMap((line, index) => [line, ...(details[index] ?? []).map((text) => `  ${text}`)]),
  ].join('\n');
}

function describeEnd({ diedUnseen, lastExit }: LastKnown, nowMs: number): string {
  if (diedUnseen) return 'not known: it went down with its supervisor';
  if (lastExit === null) return '-';
  return `${lastExit.how} (${lastExit.cause}) ${formatAge(lastExit.at, nowMs)} ago`;
}
