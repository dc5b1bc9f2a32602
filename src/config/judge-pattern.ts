import { compileLinearPattern } from '../core/linear-pattern.js';

/** What was expected of a pattern that cannot be used; undefined for a good one. */
export function patternExpectation(source: string): string | undefined {
  try {
    compileLinearPattern(source);
    return undefined;
  } catch {
    return isPattern(source) ? LINEAR_PATTERN : 'a valid regular expression';
  }
}

/** A line of output is a stranger's: no pattern may take longer than its length asks for. */
const LINEAR_PATTERN =
  'a regular expression without look-around, back-references and repetitions of more than 16';

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
