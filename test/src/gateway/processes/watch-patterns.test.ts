import t from 'tap';
import { WATCH_LIMITS } from '../../../../src/gateway/processes/limits.js';
import {
  FRESH_WATCH,
  judgeMatch,
  LineMatcher,
  NoticeBudget,
  type WatchState,
} from '../../../../src/gateway/processes/watch-patterns.js';

const SECOND_MS = 1000;

function play(timesMs: readonly number[]): string[] {
  let state: WatchState = FRESH_WATCH;
  return timesMs.map((now) => {
    const verdict = judgeMatch(state, now, WATCH_LIMITS);
    state = verdict.state;
    const { notice } = verdict;
    return notice.kind === 'none' ? 'none' : `${notice.kind} ${notice.missed}`;
  });
}

t.test('one notice in fifteen seconds; what matches meanwhile is counted', async (t) => {
  t.strictSame(play([0, 1, 14.9, 15, 31].map((seconds) => seconds * SECOND_MS)), [
    'match 0',
    'none',
    'none',
    'match 2',
    'match 0',
  ]);
});

t.test('three windows in a row with too many matches switch a pattern off', async (t) => {
  const times = [0, 1, 15, 16, 30, 31, 45, 46, 60].map((seconds) => seconds * SECOND_MS);
  t.strictSame(play(times), [
    'match 0',
    'none',
    'match 1',
    'none',
    'match 1',
    'none',
    'switched-off 1',
    'none',
    'none',
  ]);
});

t.test('a quiet window forgives the ones before it', async (t) => {
  const times = [0, 1, 15, 16, 30, 60, 61, 75].map((seconds) => seconds * SECOND_MS);
  t.notOk(play(times).some((word) => word.startsWith('switched-off')));
});

t.test('a process has eight notices in its life', async (t) => {
  const words = play(Array.from({ length: 10 }, (_, at) => at * 20 * SECOND_MS));
  t.equal(words.filter((word) => word !== 'none').length, WATCH_LIMITS.maxNotices);
  t.equal(words[7], 'switched-off 0');
});

t.test('all processes together have fifteen notices in ten seconds, then silence', async (t) => {
  const budget = new NoticeBudget(WATCH_LIMITS);
  const spent = Array.from({ length: 20 }, (_, at) => budget.spend(at));
  t.equal(spent.filter((may) => may).length, WATCH_LIMITS.globalMax);
  t.equal(budget.spend(20 * SECOND_MS), false, 'it cools down');
  t.equal(budget.spend(31 * SECOND_MS), true);
});

t.test('a line is found whole, wherever the output is cut', async (t) => {
  const text = 'starting\nserver ready on 80\nbye';
  for (let cut = 0; cut <= text.length; cut++) {
    const matcher = new LineMatcher(['ready', 'bye']);
    const found = [...matcher.take(text.slice(0, cut)), ...matcher.take(text.slice(cut))];
    t.strictSame([...found, ...matcher.end()], ['server ready on 80', 'bye']);
  }
});

t.test('a pattern is plain text, and a line without an end is bounded', async (t) => {
  const matcher = new LineMatcher(['a.c', '(x+x+)+y']);
  t.strictSame(matcher.take('abc\na.c\n'), ['a.c']);
  for (let round = 0; round < 100; round++) matcher.take('x'.repeat(10_000));
  t.strictSame(matcher.take('a.c\n')[0]?.length, 501, 'shortened to what is worth reading');
});
