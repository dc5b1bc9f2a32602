import t from 'tap';
import { RecentIds } from '../../../../src/gateway/turns/recent-ids.js';

t.test('remembers the newest ids and forgets on request', async (t) => {
  const ids = new RecentIds(2);
  for (const id of ['a', 'b', 'c']) ids.add(id);
  t.strictSame(
    ['a', 'b', 'c'].map((id) => ids.has(id)),
    [false, true, true],
  );
  ids.forget('c');
  t.equal(ids.has('c'), false);
});
