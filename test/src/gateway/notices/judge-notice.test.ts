import t from 'tap';
import {
  mayTellDown,
  mayTellUp,
  NOTICE_GAP_MS,
  type NoticeRecord,
} from '../../../../src/gateway/notices/judge-notice.js';

const TOLD: NoticeRecord = { platform: 'local', chatId: 'a', downAt: 1_000_000, isUpOwed: true };

t.test('a chat hears of a stop once in a while, however often we start', async (t) => {
  t.equal(mayTellDown(undefined, 0), true);
  t.equal(mayTellDown(TOLD, TOLD.downAt), false);
  t.equal(mayTellDown(TOLD, TOLD.downAt + NOTICE_GAP_MS - 1), false);
  t.equal(mayTellDown(TOLD, TOLD.downAt + NOTICE_GAP_MS), true);
  t.equal(
    mayTellDown(TOLD, TOLD.downAt - 1),
    true,
    'a clock that was set back keeps nobody silent',
  );
});

t.test('an endless loop of restarts tells each chat a handful of times a day', async (t) => {
  let told = 0;
  let before: NoticeRecord | undefined;
  const dayMs = 86_400_000;
  for (let now = 0; now < dayMs; now += 30_000) {
    if (!mayTellDown(before, now)) continue;
    told++;
    before = { ...TOLD, downAt: now };
  }
  t.equal(told, dayMs / NOTICE_GAP_MS);
});

t.test('only who was promised it hears that we are back, and not hours later', async (t) => {
  t.equal(mayTellUp(TOLD, TOLD.downAt + 60_000), true);
  t.equal(mayTellUp({ ...TOLD, isUpOwed: false }, TOLD.downAt), false);
  t.equal(mayTellUp(TOLD, TOLD.downAt + 3_600_001), false);
});
