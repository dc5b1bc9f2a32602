import t from 'tap';
import { Share } from '../../../../src/gateway/turns/share.js';

const never = new AbortController().signal;

t.test('so many at once, and the rest in order of arrival', async (t) => {
  const share = new Share(1);
  const order: string[] = [];
  t.equal(await share.enter('a', never), 'admitted');
  const waiting = ['b', 'c'].map(async (key) => {
    order.push(`${key} ${await share.enter(key, never)}`);
    share.leave();
  });
  t.strictSame(order, []);
  share.leave();
  await Promise.all(waiting);
  t.strictSame(order, ['b admitted', 'c admitted']);
  t.equal(await share.enter('d', never), 'admitted', 'and it is free again');
});

t.test('who leaves, is dismissed or comes to a closed door is told so', async (t) => {
  const share = new Share(1);
  await share.enter('a', never);
  const abort = new AbortController();
  const left = share.enter('b', abort.signal);
  const dismissed = share.enter('c', never);
  const closed = share.enter('d', never);
  abort.abort();
  t.equal(share.dismiss('c'), 1);
  share.close();
  t.strictSame(await Promise.all([left, dismissed, closed]), ['left', 'dismissed', 'closed']);
  t.equal(await share.enter('e', never), 'closed');
  t.equal(await new Share(1).enter('f', AbortSignal.abort()), 'left');
});

t.test('without a limit nobody waits', async (t) => {
  const share = new Share(undefined);
  for (let count = 0; count < 100; count++) t.equal(await share.enter('a', never), 'admitted');
});
