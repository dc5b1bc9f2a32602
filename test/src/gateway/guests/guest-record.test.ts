import t from 'tap';
import { EXIT } from '../../../../src/core/exit-codes.js';
import { DEFAULT_RESTART_POLICY } from '../../../../src/core/judge.js';
import type { GuestEnd } from '../../../../src/gateway/guests/guest.js';
import { GuestRecord } from '../../../../src/gateway/guests/guest-record.js';
import { assignmentIn } from '../../../support/gateway-assignment.js';

const assignment = assignmentIn('/srv/home', { profile: 'coder' });
const end = (exitCode: number, reason?: GuestEnd['reason']): GuestEnd => ({
  exitCode,
  words: undefined,
  reason,
});
const RANDOM = 0.5;

interface Life {
  readonly end: GuestEnd;
  /** from its start to its end; it serves from the first moment on */
  readonly forMs: number;
}

/** What follows each of these lives, which begin where the one before has ended. */
function verdicts(lives: readonly Life[], changes: Partial<typeof DEFAULT_RESTART_POLICY> = {}) {
  const policy = { ...DEFAULT_RESTART_POLICY, ...changes };
  const record = new GuestRecord('coder');
  let now = 1_000_000_000;
  let isProbe = false;
  return lives.map((life) => {
    record.began(assignment, now, isProbe);
    record.serves(now);
    now += life.forMs;
    const verdict = record.ended(life.end, now, { policy, random: RANDOM });
    isProbe = verdict.kind === 'park' && verdict.probeAfterMs !== undefined;
    return verdict;
  });
}

const times = (count: number, life: Life) => Array.from({ length: count }, () => life);
const kinds = (lives: readonly Life[], changes = {}) =>
  verdicts(lives, changes).map(({ kind }) => kind);

t.test(
  'a guest that ends with 75 for ever is free ten times a minute, and then waits',
  async (t) => {
    const loop = times(13, { end: end(EXIT.planned, 'restart'), forMs: 10 });
    const told = kinds(loop);
    t.strictSame(told.slice(0, 10), Array(10).fill('restart-now'));
    t.strictSame(told.slice(10), Array(3).fill('restart-after'));
    t.match(verdicts(loop).slice(10), [{ delayMs: 1000 }, { delayMs: 2000 }, { delayMs: 4000 }]);
  },
);

t.test('planned restarts a quarter of an hour apart stay free', async (t) => {
  const hours = times(20, { end: end(EXIT.planned, 'restart'), forMs: 900_000 });
  t.ok(kinds(hours).every((kind) => kind === 'restart-now'));
});

t.test('a guest that fails waits longer each time, until it has been well for long', async (t) => {
  const failure = { end: end(EXIT.failure), forMs: 10 };
  const well = { end: end(EXIT.failure), forMs: 600_000 };
  t.match(verdicts([failure, failure, failure, well, failure]), [
    { kind: 'restart-after', delayMs: 1000 },
    { kind: 'restart-after', delayMs: 2000 },
    { kind: 'restart-after', delayMs: 4000 },
    { kind: 'restart-now' },
    { kind: 'restart-after', delayMs: 1000 },
  ]);
});

t.test('what no retry can help waits for another look at the configuration', async (t) => {
  for (const code of [EXIT.config, EXIT.usage]) {
    t.match(verdicts([{ end: end(code), forMs: 10 }]), [{ kind: 'park', probeAfterMs: undefined }]);
  }
});

t.test('a crash loop is given up, and has one try after a while', async (t) => {
  const failure = { end: end(EXIT.failure), forMs: 10 };
  t.match(verdicts(times(3, failure), { maxRestarts: 1 }), [
    { kind: 'restart-after' },
    { kind: 'park', reason: 'crash-loop', probeAfterMs: 900_000 },
    { kind: 'park', reason: 'crash-loop', probeAfterMs: 900_000 },
  ]);
});
