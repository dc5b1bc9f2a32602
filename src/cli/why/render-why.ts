import { readableLine } from '../render/foreign-line.js';
import { printable } from '../render/printable.js';
import type { View } from '../render/status-table.js';
import { wrapText } from '../render/wrap.js';
import type { Why } from './facts.js';

/** The paragraph, the last lines as they were, the evidence, and what to do. */
export function renderWhy(why: Why, { aim = String, columns, paint }: View): string {
  const lines = [...wrapText(printable(why.paragraph), columns)];
  if (why.lastLines.length > 0) {
    lines.push(
      '',
      'Its last lines:',
      ...why.lastLines.map((line) => `  ${readableLine(line)}`.trimEnd()),
    );
  }
  if (why.evidence !== undefined) lines.push('', `Evidence: ${printable(why.evidence)}`);
  const todo = wrapText(aim(printable(why.todo)), columns, 'To do: ');
  return [...lines, '', ...todo.map((line) => paint.bold(line))].join('\n');
}
