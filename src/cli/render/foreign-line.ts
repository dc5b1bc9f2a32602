import { renderForJournal } from '../../observability/log-record.js';
import { printable } from './printable.js';

/**
 * A line that a child printed, for a sentence: a JSON log record becomes its message and fields,
 * everything else stays, without what could move a cursor.
 */
export function readableLine(line: string): string {
  const isRecord = line.startsWith('{') && line.includes('"msg"');
  // the priority in front is for the journal alone
  const text = isRecord ? renderForJournal(line).replace(/^<\d>/, '') : line;
  return printable(text.trimEnd());
}
