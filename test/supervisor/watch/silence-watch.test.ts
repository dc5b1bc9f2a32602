import t from 'tap';
import { nextSilence } from '../../../supervisor/watch/judge-silence.js';
import { SilenceWatch } from '../../../supervisor/watch/silence-watch.js';
import { until } from '../../support/until.js';

const POLICY = { lookMs: 10, limitMs: 90 };
const HEARD = { lookedAtMs: 0, silentMs: 0 };

/** Looks at the given times; whether it counts as lost after each. */
function lookAt(...times: readonly number[]): boolean[] {
  let silence = HEARD;
  return times.map((atMs) => {
    const next = nextSilence(silence, atMs, POLICY);
    silence = next.silence;
    return next.isLost;
  });
}

t.test('silence for the whole limit is a loss, and not a look before', async (t) => {
  const times = Array.from({ length: 9 }, (_, index) => (index + 1) * 10);
  t.strictSame(lookAt(...times), [...Array(8).fill(false), true]);
});

t.test('time in which we were late ourselves is forgiven', async (t) => {
  t.strictSame(lookAt(10, 100_000, 100_010), [false, false, false]);
});

t.test('of a look that is a little late only one interval counts', async (t) => {
  const times = Array.from({ length: 9 }, (_, index) => (index + 1) * 20);
  t.strictSame(lookAt(...times), [...Array(8).fill(false), true]);
});

t.test('a clock that goes back counts nothing', async (t) => {
  t.equal(nextSilence({ lookedAtMs: 100, silentMs: 5 }, 50, POLICY).silence.silentMs, 5);
});

t.test('the absence of a first beat is a loss too, told once and in its own words', async (t) => {
  const lost: string[] = [];
  const watch = new SilenceWatch(50, (detail) => lost.push(detail));
  t.teardown(() => watch.stop());
  await until('it is lost', () => lost.length > 0);
  t.match(lost, [/^its watchdog was never heard within 50ms$/]);
  t.equal(watch.heardAt, undefined);
});

t.test('who was heard and falls silent is lost; who goes on is not', async (t) => {
  const lost: string[] = [];
  const silent = new SilenceWatch(60, (detail) => lost.push(detail));
  const talking = new SilenceWatch(60, () => lost.push('the one that talks'));
  const talk = setInterval(() => talking.heard(), 5);
  t.teardown(() => {
    clearInterval(talk);
    talking.stop();
    silent.stop();
  });
  silent.heard();
  await until('it is lost', () => lost.length > 0);
  t.match(lost, [/^its watchdog was silent for 60ms$/]);
  t.ok((talking.heardAt ?? 0) > 0);
});

t.test('nobody is lost after a stop', async (t) => {
  const lost: string[] = [];
  const stopped = new SilenceWatch(20, () => lost.push('the stopped one'));
  stopped.stop();
  const other = new SilenceWatch(60, () => lost.push('the other'));
  t.teardown(() => other.stop());
  await until('another is lost', () => lost.length > 0);
  t.strictSame(lost, ['the other']);
});
