import { printable } from '../render/printable.js';
import type { View } from '../render/status-table.js';
import { plural } from '../render/units.js';
import { wrapText } from '../render/wrap.js';
import type { CheckResult } from './finding.js';

const NAME_WIDTH = 14;

/** A line per check; under it what was found and what cures it. */
export function renderDoctor(results: readonly CheckResult[], view: View): string {
  const { columns, paint } = view;
  const total = results.reduce((sum, result) => sum + result.findings.length, 0);
  const lines = results.flatMap(({ check, findings, seen }) => {
    const mark = findings.length === 0 ? 'ok  ' : '!!  ';
    const head = wrapText(printable(seen), columns, `${mark}${check.padEnd(NAME_WIDTH)}`);
    return [
      ...head.map((line) => (findings.length === 0 ? line : paint.red(line))),
      ...findings.flatMap(({ remedy, what }) => [
        ...wrapText(printable(what), columns, '    finding: '),
        ...wrapText(printable(remedy), columns, '    remedy:  ').map(paint.bold),
      ]),
    ];
  });
  return [...lines, '', total === 0 ? 'nothing found' : plural(total, 'finding')].join('\n');
}
