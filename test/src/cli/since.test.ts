import t from 'tap';
import { parseSince } from '../../../src/cli/since.js';
import { GatewardenError } from '../../../src/core/errors.js';

const NOW_MS = Date.UTC(2026, 0, 31, 12);

t.test('a duration is taken from now', async (t) => {
  t.equal(parseSince('2h', NOW_MS), NOW_MS - 7_200_000);
  t.equal(parseSince('1d 12h', NOW_MS), NOW_MS - 129_600_000);
  t.equal(parseSince(' 90s ', NOW_MS), NOW_MS - 90_000);
  t.equal(parseSince('1.5m', NOW_MS), NOW_MS - 90_000);
  t.equal(parseSince('250ms', NOW_MS), NOW_MS - 250);
  t.equal(parseSince('1w', NOW_MS), NOW_MS - 604_800_000);
});

t.test('an ISO 8601 time is itself', async (t) => {
  t.equal(parseSince('2026-01-31T08:00:00Z', NOW_MS), Date.UTC(2026, 0, 31, 8));
  t.equal(parseSince('2026-01-30', NOW_MS), Date.UTC(2026, 0, 30));
});

t.test('anything else is refused, never guessed', async (t) => {
  for (const text of [
    '99999999999999d',
    '',
    '2',
    'h',
    'yesterday',
    '2h ago',
    '-2h',
    '12:00',
    '2026-13-45',
    '1e3s',
  ]) {
    t.throws(() => parseSince(text, NOW_MS), GatewardenError, text);
  }
});
