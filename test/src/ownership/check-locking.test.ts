import { readdirSync } from 'node:fs';
import t from 'tap';
import { checkLocking, isLockless } from '../../../src/ownership/check-locking.js';

t.test(
  'locks on an ordinary disk exclude a second process, and the check leaves nothing',
  async (t) => {
    const directory = t.testdir();
    t.strictSame(await checkLocking(directory), { kind: 'works' });
    t.strictSame(readdirSync(directory), []);
  },
);

t.test('a directory that cannot be written says so instead of a verdict', async (t) => {
  t.match(await checkLocking('/proc/none'), { kind: 'unmeasured' });
});

t.test('only a lock that is not to be had counts as broken', async (t) => {
  for (const errno of ['SQLITE_IOERR_LOCK', 'SQLITE_IOERR_RDLOCK', 'ENOLCK', 'EOPNOTSUPP']) {
    t.ok(isLockless(errno), errno);
  }
  for (const errno of ['EACCES', 'ENOSPC', 'EISDIR', 'SQLITE_CANTOPEN']) {
    t.notOk(isLockless(errno), errno);
  }
});
