import t from 'tap';
import { Lanes } from '../../../../src/gateway/turns/lanes.js';

const never = new AbortController().signal;

t.test('one key runs one at a time in order of arrival, keys run side by side', async (t) => {
  const lanes = new Lanes(32);
  const order: string[] = [];
  t.equal(await lanes.enter('a', never), 'admitted');
  t.equal(await lanes.enter('b', never), 'admitted', 'another key does not wait');
  const waiting = ['first', 'second', 'third'].map((name) =>
    lanes.enter('a', never).then((admission) => order.push(`${name} ${admission}`)),
  );
  lanes.leave('a');
  await waiting[0];
  t.strictSame(order, ['first admitted']);
  lanes.leave('a');
  lanes.leave('a');
  await Promise.all(waiting);
  t.strictSame(order, ['first admitted', 'second admitted', 'third admitted']);
});

t.test('a lane holds so many and tells the next one that it is full', async (t) => {
  const lanes = new Lanes(2);
  await lanes.enter('a', never);
  const waiting = [lanes.enter('a', never), lanes.enter('a', never)];
  t.equal(await lanes.enter('a', never), 'full');
  lanes.leave('a');
  t.equal(await waiting[0], 'admitted');
});

t.test('who leaves while waiting is out, and nobody behind it is lost', async (t) => {
  const lanes = new Lanes(32);
  const caller = new AbortController();
  await lanes.enter('a', never);
  const leaving = lanes.enter('a', caller.signal);
  const staying = lanes.enter('a', never);
  caller.abort();
  t.equal(await leaving, 'left');
  lanes.leave('a');
  t.equal(await staying, 'admitted');
  t.equal(await lanes.enter('a', caller.signal), 'left', 'also when it has left before');
  lanes.leave('a');
  t.equal(await lanes.enter('a', never), 'admitted', 'an empty lane starts anew');
});

t.test('closing refuses what waits and what comes, and lets what runs go on', async (t) => {
  const lanes = new Lanes(32);
  await lanes.enter('a', never);
  const waiting = lanes.enter('a', never);
  lanes.close();
  t.equal(await waiting, 'closed');
  t.equal(await lanes.enter('b', never), 'closed');
  lanes.leave('a');
});

t.test('what waits can be dismissed, but not what runs or is to be kept', async (t) => {
  const lanes = new Lanes(32);
  await lanes.enter('a', never);
  const waiting = [lanes.enter('a', never), lanes.enter('a', never, true), lanes.enter('a', never)];
  await lanes.enter('b', never);
  const other = lanes.enter('b', never);
  t.equal(lanes.dismiss('a'), 2);
  t.equal(lanes.dismiss('nobody'), 0);
  t.equal(await waiting[0], 'dismissed');
  t.equal(await waiting[2], 'dismissed');
  lanes.leave('a');
  t.equal(await waiting[1], 'admitted');
  lanes.leave('b');
  t.equal(await other, 'admitted', 'another conversation goes on');
});
