import t from 'tap';
import type { Verdict } from '../../../src/core/judge.js';
import { followVerdict } from '../../../supervisor/profile/follow-verdict.js';

const VERDICTS: Record<Verdict['kind'], Verdict> = {
  rest: { kind: 'rest', storm: false },
  'restart-now': { kind: 'restart-now', storm: false },
  'restart-after': { kind: 'restart-after', delayMs: 1, storm: false },
  park: {
    kind: 'park',
    reason: 'config',
    retriesOn: 'config-change',
    probeAfterMs: undefined,
    storm: false,
  },
};

t.test('a verdict is followed as it says while the supervisor stays', async (t) => {
  const stays = { halted: false, unwanted: false, once: false };
  t.equal(followVerdict(VERDICTS.rest, stays), 'died-rest');
  t.equal(followVerdict(VERDICTS['restart-now'], stays), 'died-restart');
  t.equal(followVerdict(VERDICTS['restart-after'], stays), 'died-backoff');
  t.equal(followVerdict(VERDICTS.park, stays), 'died-park');
});

t.test('everything rests while the supervisor leaves', async (t) => {
  for (const verdict of Object.values(VERDICTS)) {
    t.equal(
      followVerdict(verdict, { halted: true, unwanted: false, once: false }),
      'died-rest',
      verdict.kind,
    );
  }
});

t.test('with --once nothing starts again, and a refusal is still shown as one', async (t) => {
  const once = { halted: false, unwanted: false, once: true };
  t.equal(followVerdict(VERDICTS['restart-now'], once), 'died-rest');
  t.equal(followVerdict(VERDICTS['restart-after'], once), 'died-rest');
  t.equal(followVerdict(VERDICTS.park, once), 'died-park');
});

t.test(
  'whoever was asked to stop rests, whatever ended it; a refusal is still shown',
  async (t) => {
    const unwanted = { halted: false, unwanted: true, once: false };
    t.equal(followVerdict(VERDICTS['restart-now'], unwanted), 'died-rest');
    t.equal(followVerdict(VERDICTS['restart-after'], unwanted), 'died-rest');
    t.equal(followVerdict(VERDICTS.park, unwanted), 'died-park');
    const crashLoop = { ...VERDICTS.park, retriesOn: 'probe', probeAfterMs: 1 } as Verdict;
    t.equal(followVerdict(crashLoop, unwanted), 'died-rest', 'a half-open try is a start too');
  },
);
