import t from 'tap';
import { chooseLastLines } from '../../../src/cli/last-lines.js';
import { aDeath, NOW_MS } from '../../support/status-facts.js';

const death = aDeath({ at: NOW_MS, uptimeMs: 1000 });
const line = (ageMs: number, stream: 'out' | 'err' | 'sys', text: string) => ({
  at: NOW_MS - ageMs,
  stream,
  text,
});

t.test('the newest lines of stderr are chosen, of the last run only', async (t) => {
  const lines = [
    line(60_000, 'err', 'an earlier run'),
    line(900, 'out', 'hello'),
    line(500, 'err', 'Traceback'),
    line(1, 'err', 'KeyError'),
    line(0, 'sys', '3 lines dropped'),
  ];
  t.strictSame(chooseLastLines(lines, death), ['Traceback', 'KeyError']);
});

t.test('stdout is chosen where stderr is empty, and never more than a few', async (t) => {
  const lines = Array.from({ length: 50 }, (_, index) => line(500, 'out', `line ${index}`));
  const chosen = chooseLastLines(lines, death);
  t.equal(chosen.length, 8);
  t.equal(chosen.at(-1), 'line 49');
  t.strictSame(chooseLastLines([], undefined), []);
});
