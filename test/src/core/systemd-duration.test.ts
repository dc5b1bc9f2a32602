import fc from 'fast-check';
import t from 'tap';
import { parseSystemdDuration } from '../../../src/core/systemd-duration.js';

for (const [text, ms] of [
  ['1min 30s', 90_000],
  ['90', 90_000],
  ['90s', 90_000],
  ['1.5s', 1500],
  ['infinity', Number.POSITIVE_INFINITY],
  ['0', 0],
  ['500ms', 500],
  ['1500us', 1.5],
  ['2h30min', 9_000_000],
  ['2 hr', 7_200_000],
  ['1d 1h', 90_000_000],
  ['1w', 604_800_000],
  ['1month', 2_629_800_000],
  ['1M', 2_629_800_000],
  ['1m', 60_000],
  ['1y', 31_557_600_000],
  ['55s 500ms', 55_500],
] as const) {
  t.test(`systemd's ${text} is ${ms} ms`, async (t) => {
    t.equal(parseSystemdDuration(text), ms);
  });
}

t.test('what is no duration is not taken for one', async (t) => {
  for (const text of ['', ' ', 'abc', '5 parsecs', '-1s', '1s,2s', 's', '1s x', 'constructor']) {
    t.equal(parseSystemdDuration(text), undefined, JSON.stringify(text));
  }
});

t.test('whole seconds survive the way through systemd', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_147_483 }), (seconds) => {
      const text = `${Math.floor(seconds / 60)}min ${seconds % 60}s`;
      return parseSystemdDuration(text) === seconds * 1000;
    }),
  );
  t.pass();
});
