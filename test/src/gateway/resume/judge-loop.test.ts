import t from 'tap';
import { type BootRecord, isRestartLoop } from '../../../../src/gateway/resume/judge-loop.js';

const GUARD = { maxRestarts: 3, windowMs: 60, maxGapMs: 300 };

function boots(...newestFirst: readonly (readonly [at: number, interrupted: number])[]) {
  return newestFirst.map(([at, interrupted]): BootRecord => ({ at, interrupted }));
}

const CASES: readonly (readonly [string, readonly BootRecord[], typeof GUARD, boolean])[] = [
  ['no start is known', [], GUARD, false],
  ['two in a row', boots([300, 1], [0, 1]), GUARD, false],
  ['three in a row', boots([600, 1], [300, 4], [0, 1]), GUARD, true],
  ['a gap that is too long', boots([601, 1], [300, 1], [0, 1]), GUARD, false],
  ['only a chain that ends now counts', boots([900, 1], [500, 1], [300, 1], [0, 1]), GUARD, false],
  ['this start found nothing', boots([700, 0], [600, 1], [300, 1], [0, 1]), GUARD, false],
  [
    'a clean start between them breaks no chain',
    boots([600, 1], [450, 0], [300, 1], [0, 1]),
    GUARD,
    true,
  ],
  [
    'a tiny gap is never below the window',
    boots([100, 1], [50, 1], [0, 1]),
    { ...GUARD, maxGapMs: 1 },
    true,
  ],
  ['it is off', boots([2, 1], [1, 1], [0, 1]), { ...GUARD, maxRestarts: 0 }, false],
  ['one is enough when asked so', boots([0, 1]), { ...GUARD, maxRestarts: 1 }, true],
];
for (const [title, records, guard, expected] of CASES) {
  t.test(`restarts go round in circles or not: ${title}`, async (t) => {
    t.equal(isRestartLoop(records, guard), expected);
  });
}
