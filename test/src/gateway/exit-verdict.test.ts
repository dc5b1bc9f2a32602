import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import { type ExitFacts, verdictOf } from '../../../src/gateway/exit-verdict.js';

/** The whole domain: the precedence of spec/supervision.md 1.2, written as a table of its own. */
const FLAGS = [false, true];
const CODES = [undefined, EXIT.done, EXIT.planned, EXIT.config];
for (const hasFailed of FLAGS) {
  for (const stampedCode of CODES) {
    for (const endedByForeignSignal of FLAGS) {
      for (const restartRequested of FLAGS) {
        const facts: ExitFacts = {
          hasFailed,
          stampedCode,
          endedByForeignSignal,
          restartRequested,
        };
        const expected = [
          hasFailed ? EXIT.failure : undefined,
          stampedCode,
          endedByForeignSignal && !restartRequested ? EXIT.failure : undefined,
          restartRequested ? EXIT.planned : undefined,
          EXIT.done,
        ].find((code) => code !== undefined);
        t.equal(verdictOf(facts), expected, JSON.stringify(facts));
      }
    }
  }
}

t.test('a plain end is a done one', async (t) => {
  t.equal(verdictOf({}), EXIT.done);
});
