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
  const stays = { halted: false, once: false };
  t.equal(followVerdict(VERDICTS.rest, stays), 'died-rest');
  t.equal(followVerdict(VERDICTS['restart-now'], stays), 'died-restart');
  t.equal(followVerdict(VERDICTS['restart-after'], stays), 'died-backoff');
  t.equal(followVerdict(VERDICTS.park, stays), 'died-park');
});

t.test('everything rests while the supervisor leaves', async (t) => {
  for (const verdict of Object.values(VERDICTS)) {
    t.equal(followVerdict(verdict, { halted: true, once: false }), 'died-rest', verdict.kind);
  }
});

t.test('with --once nothing starts again, and a refusal is still shown as one', async (t) => {
  const once = { halted: false, once: true };
  t.equal(followVerdict(VERDICTS['restart-now'], once), 'died-rest');
  t.equal(followVerdict(VERDICTS['restart-after'], once), 'died-rest');
  t.equal(followVerdict(VERDICTS.park, once), 'died-park');
});
