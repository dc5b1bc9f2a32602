import t from 'tap';
import { fileSystemIn, fileSystemOf } from '../../../src/ownership/file-system.js';

const MOUNTS = `
1 0 8:1 / / rw - ext4 /dev/a rw
2 1 0:5 / /srv rw - nfs4 host:/x rw
3 2 0:6 / /srv/my\\040bots rw shared:1 - fuse.sshfs host: rw
4 1 0:7 / /data rw - xfs /dev/b rw
5 1 0:8 / /data rw - virtiofs share rw
`;

t.test('the mount that covers a path says what its files are on', async (t) => {
  t.equal(fileSystemIn(MOUNTS, '/home'), 'ext4');
  t.equal(fileSystemIn(MOUNTS, '/srv/bots'), 'nfs4');
  t.equal(fileSystemIn(MOUNTS, '/srv/my bots/a'), 'fuse.sshfs');
  t.equal(fileSystemIn(MOUNTS, '/srvx'), 'ext4', 'a name that only begins the same');
  t.equal(fileSystemIn(MOUNTS, '/data/x'), 'virtiofs', 'the later mount hides the earlier');
  t.equal(fileSystemIn('', '/x'), undefined);
});

t.test('a directory of this machine is on storage of its own', async (t) => {
  t.equal(fileSystemOf(t.testdir()).storage, 'local');
  t.equal(fileSystemOf('/proc').storage, 'shared', 'what is not known to be local may be shared');
});
