import t from 'tap';
import {
  firstLateness,
  judgeLateness,
  type Lateness,
  type LatenessVerdict,
} from '../../../src/watchdog/judge-lateness.js';

const POLICY = {
  sampleMs: 1000,
  warnAfterMs: 5000,
  strikeMs: 30_000,
  strikes: 3,
  recoverSamples: 2,
};

interface Look {
  readonly afterMs?: number;
  readonly moved?: boolean;
  readonly stolenMs?: number;
}

/** The verdicts of a row of looks, and what is known after them. */
function look(looks: readonly Look[]): { verdicts: LatenessVerdict[]; lateness: Lateness } {
  let lateness = firstLateness(0, 0);
  const verdicts = looks.map(({ afterMs = 1000, moved = false, stolenMs = 0 }) => {
    const tick = lateness.tick + (moved ? 1 : 0);
    const judged = judgeLateness(
      lateness,
      { atMs: lateness.atMs + afterMs, tick, lookMs: POLICY.sampleMs, stolenMs },
      POLICY,
    );
    lateness = judged.lateness;
    return judged.verdict;
  });
  return { verdicts, lateness };
}

const still = (count: number, more: Look = {}): Look[] => Array.from({ length: count }, () => more);

t.test('a loop that stands still is warned of once and stalled at its last strike', async (t) => {
  const { verdicts } = look(still(200));
  const told = verdicts.flatMap((verdict, index) =>
    verdict === 'ok' ? [] : [[index + 1, verdict]],
  );
  t.strictSame(told, [
    [6, 'warn'],
    [31, 'strike'],
    [61, 'strike'],
    [91, 'stalled'],
  ]);
});

t.test('one movement takes all strikes back; two in a row make a late loop well', async (t) => {
  const moves = [...still(70), { moved: true }, ...still(70), { moved: true }, { moved: true }];
  const { verdicts, lateness } = look(moves);
  t.notOk(verdicts.includes('stalled'));
  t.equal(verdicts.at(-2), 'ok');
  t.equal(verdicts.at(-1), 'recovered');
  t.equal(lateness.isLate, false);
});

t.test('time in which the thread itself was away does not count', async (t) => {
  const { verdicts, lateness } = look([{ moved: true }, { afterMs: 3_600_000 }]);
  t.equal(verdicts.at(-1), 'forgiven');
  t.equal(lateness.unmovedMs, 1000);
});

t.test(
  'of time that the host stole a quarter counts, so that the end comes some day',
  async (t) => {
    const { verdicts } = look(still(400, { stolenMs: 1000 }));
    t.equal(verdicts.indexOf('stalled') + 1, 364);
  },
);
