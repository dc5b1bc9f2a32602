import { join } from 'node:path';
import t from 'tap';
import { monotonicMs } from '../../../../src/core/monotonic.js';
import { DEFAULT_WATCH_POLICY, type FromWatch } from '../../../../src/core/watch.js';
import type { Place } from '../../../../src/watchdog/describe-place.js';
import { SharedCounters } from '../../../../src/watchdog/shared-counters.js';
import { StolenTime } from '../../../../src/watchdog/thread/stolen-time.js';
import { WatchThread } from '../../../../src/watchdog/thread/watch-thread.js';
import { WatchedTurns } from '../../../../src/watchdog/thread/watched-turns.js';
import { TurnSlots } from '../../../../src/watchdog/turn-slots.js';
import { until } from '../../../support/until.js';

const BLOCKED: Place = {
  kind: 'frames',
  frames: [{ function: 'aHandler', filename: '/srv/tool.js', lineno: 1, colno: 1 }],
};

interface Watched {
  readonly warnOnly?: boolean;
  readonly warnAfterMs?: number;
  readonly evidenceDir?: string;
}

/** A thread that watches counters which nobody moves, unless `look` does. */
function watch(
  look: (counters: SharedCounters, nth: number) => Place,
  { warnOnly = false, evidenceDir, warnAfterMs = 600_000 }: Watched = {},
) {
  const counters = new SharedCounters();
  const told: FromWatch[] = [];
  let looks = 0;
  let ends = 0;
  const policy = {
    ...DEFAULT_WATCH_POLICY,
    sampleMs: 5,
    warnAfterMs,
    strikeMs: 10,
    strikes: 3,
    warnOnly,
  };
  const thread = new WatchThread({
    counters,
    turns: new WatchedTurns(new TurnSlots()),
    stolen: new StolenTime(() => ({ waitedMs: 0, memoryMs: 0 })),
    nowMs: monotonicMs,
    readPlace: () => look(counters, ++looks),
    tell: (message) => told.push(message),
    reap: () => {},
    say: () => {},
    end: () => {
      ends++;
      thread.stop();
    },
    order: { profile: 'a', generation: 1, evidenceDir, policy },
  });
  thread.start();
  const stalls = () => told.flatMap((one) => (one.code === 'evidence' ? [one] : []));
  return { thread, stalls, looks: () => looks, ends: () => ends };
}

t.test('a loop that comes back while it is looked at for the last time is let live', async (t) => {
  const waits = (): Place => ({ kind: 'idle' });
  const moves = (counters: SharedCounters): Place => {
    counters.move(0);
    return BLOCKED;
  };
  for (const comesBack of [waits, moves]) {
    const one = watch((counters, nth) => (nth < 3 ? comesBack(counters) : BLOCKED));
    await until('it was ended', () => one.ends() > 0);
    t.equal(one.looks(), 3, 'twice it was not');
    t.match(one.stalls(), [{ kind: 'stall', where: /^blocked in aHandler/, fatal: true }]);
  }
});

t.test('with warn-only such a loop is not even written down', async (t) => {
  const one = watch((_, nth) => (nth < 2 ? { kind: 'idle' } : BLOCKED), { warnOnly: true });
  await until('its stall is told', () => one.stalls().length > 0);
  one.thread.stop();
  t.equal(one.looks(), 2);
  t.match(one.stalls(), [{ kind: 'stall', fatal: false }]);
  t.equal(one.ends(), 0);
});

t.test('a loop that is met in its own tick is late no more: nobody is warned of it', async (t) => {
  const moves = (counters: SharedCounters): Place => {
    counters.move(0);
    return BLOCKED;
  };
  for (const comesBack of [(): Place => ({ kind: 'idle' }), moves]) {
    const late: boolean[] = [];
    const one = watch(
      (counters, nth) => {
        late.push(counters.isLate);
        return nth < 3 ? comesBack(counters) : BLOCKED;
      },
      { warnAfterMs: 5 },
    );
    await until('it was ended', () => one.ends() > 0);
    const kinds = one.stalls().map(({ kind, where }) => `${kind} ${where.split(' (')[0]}`);
    t.equal(kinds[0], 'loop-late blocked in aHandler', 'the first warning is the real one');
    t.equal(kinds.filter((kind) => kind.startsWith('loop-late')).length, 1);
    t.strictSame(late.slice(1, 3), [true, true], 'late again, and not still');
  }
});

t.test('evidence that cannot be written is told with the reason', async (t) => {
  const evidenceDir = join(t.testdir({ file: '' }), 'file', 'evidence');
  const one = watch(() => BLOCKED, { evidenceDir });
  await until('it was ended', () => one.ends() > 0);
  t.match(one.stalls(), [{ kind: 'stall', path: undefined, unwritten: /ENOTDIR/, fatal: true }]);
});
