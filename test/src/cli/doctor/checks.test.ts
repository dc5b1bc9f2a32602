import t from 'tap';
import { judgeAccount } from '../../../../src/cli/doctor/accounts.js';
import { describeCgroup, describeUse } from '../../../../src/cli/doctor/containment.js';
import { judgeDisk } from '../../../../src/cli/doctor/home.js';
import { parseListening } from '../../../../src/cli/doctor/listening-ports.js';
import { judgePorts } from '../../../../src/cli/doctor/ports.js';
import { findCollisions } from '../../../../src/cli/doctor/secrets.js';
import { isProofOfDeath } from '../../../../src/cli/doctor/stale.js';
import { judgeSystemd } from '../../../../src/cli/doctor/systemd.js';
import { Secret } from '../../../../src/core/secret.js';

const WANTED = [{ port: 8642, by: 'profile coder', key: 'platforms.api_server.port' }];
const commandOf = () => 'python3';

t.test('a port that a stranger holds is named with its holder', async (t) => {
  const used = [{ port: 8642, pids: [99] }];
  const [finding] = judgePorts({ wanted: WANTED, used, ours: new Set([1]), commandOf });
  t.strictSame(finding, {
    what: 'port 8642, which profile coder wants, is held by pid 99 (python3)',
    remedy: 'end pid 99, or change platforms.api_server.port',
  });
});

t.test('a port that we hold, or nobody, is no finding', async (t) => {
  const used = [{ port: 8642, pids: [99] }];
  t.strictSame(judgePorts({ wanted: WANTED, used, ours: new Set([99]), commandOf }), []);
  t.strictSame(judgePorts({ wanted: WANTED, used: [], ours: undefined, commandOf }), []);
});

t.test(
  'a holder that may not be looked into is a stranger only while nothing of ours runs',
  async (t) => {
    const used = [{ port: 8642, pids: [] }];
    t.strictSame(judgePorts({ wanted: WANTED, used, ours: new Set([1]), commandOf }), []);
    t.match(judgePorts({ wanted: WANTED, used, ours: undefined, commandOf }), [
      { what: /held by another process/ },
    ]);
  },
);

t.test('listening sockets are read from /proc/net/tcp', async (t) => {
  const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:21C2 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 777 1 0 20 4 30 10 -1
`;
  t.strictSame(parseListening(text), [{ port: 8642, inode: '12345' }]);
});

t.test('one secret in two profiles is a finding that does not show it', async (t) => {
  const token = (profile: string, value: string) => ({
    profile,
    key: 'env.BOT_TOKEN',
    secret: new Secret(value),
  });
  const findings = findCollisions([token('a', 'xyzzy'), token('b', 'xyzzy'), token('c', 'plugh')]);
  t.equal(findings.length, 1);
  t.equal(findings[0]?.what, 'the same secret is env.BOT_TOKEN of a and env.BOT_TOKEN of b');
  t.notMatch(JSON.stringify(findings), 'xyzzy');
  t.strictSame(findCollisions([token('a', 'xyzzy'), token('a', 'xyzzy')]), [], 'one profile');
});

t.test('linger comes before the bus, and neither matters without a user unit', async (t) => {
  const facts = {
    user: 'kim',
    runtimeDir: '/run/user/7',
    isLingering: false,
    hasBus: false,
    matters: true,
  };
  t.match(judgeSystemd(facts), [
    { remedy: 'loginctl enable-linger kim' },
    { remedy: /dbus-user-session/ },
  ]);
  t.match(judgeSystemd({ ...facts, isLingering: true, runtimeDir: undefined }), [
    { what: /XDG_RUNTIME_DIR is not set/ },
  ]);
  t.strictSame(judgeSystemd({ ...facts, matters: false }), []);
});

t.test('a disk that is nearly full is a finding, by bytes and by inodes', async (t) => {
  const GIB = 1024 ** 3;
  t.strictSame(judgeDisk(GIB, 1_000_000, 2_000_000), []);
  t.match(judgeDisk(GIB / 100, 1_000_000, 2_000_000), [{ what: /^only 10 MiB are free/ }]);
  t.match(judgeDisk(GIB, 10, 2_000_000), [{ what: /^only 10 inodes are free/ }]);
  t.strictSame(judgeDisk(GIB, 0, 0), [], 'a file system that counts no inodes');
});

t.test('the containment in use is told with its reason and what it cannot do', async (t) => {
  t.equal(describeUse({ containment: 'cgroup2', weakerBecause: null }), 'in use: cgroup2');
  t.match(
    describeUse({ containment: 'session+tag', weakerBecause: 'it is not delegated' }),
    /^in use: session\+tag, nothing stronger because it is not delegated; what scrubs /,
  );
});

t.test('containment is told as it is: none, not delegated, writable', async (t) => {
  const files: Record<string, string> = {
    '/proc/self/stat': '1 (x) S 0',
    '/proc/self/mountinfo': '33 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n',
    '/proc/self/cgroup': '0::/user.slice/a.service\n',
    '/sys/fs/cgroup/user.slice/a.service/cgroup.controllers': 'cpu memory pids\n',
  };
  const read = (path: string) => files[path];
  t.equal(
    describeCgroup(read, () => true),
    'the cgroup /sys/fs/cgroup/user.slice/a.service is writable, controllers: cpu memory pids',
  );
  t.match(
    describeCgroup(read, () => false),
    /is not delegated to us$/,
  );
  files['/proc/self/mountinfo'] = '';
  t.match(
    describeCgroup(read, () => true),
    /^no cgroup v2 hierarchy is mounted/,
  );
  t.match(
    describeCgroup(
      () => undefined,
      () => false,
    ),
    /^no \/proc here/,
  );
});

t.test('an account that shares what is its own is a finding, with what cures it', async (t) => {
  const account = { name: 'bot', uid: 1500, gid: 1500, groups: [], home: '/home/bot' };
  const own = (mode: number, uid = 1500) => ({ uid, mode });
  const judge = (accountHome: { uid: number; mode: number } | undefined, file = own(0o100600)) =>
    judgeAccount({ profile: 'coder', account, accountHome, files: new Map([['/h/.env', file]]) });
  t.strictSame(judge(own(0o40700)), []);
  t.strictSame(judge(own(0o40750)), [], 'its group is its own');
  t.match(judge(undefined), [{ what: /\/home\/bot, does not exist/, remedy: /install -d -m 700/ }]);
  t.match(judge(own(0o40700, 0)), [{ what: /belongs to user id 0/, remedy: /usermod --home/ }]);
  t.match(judge(own(0o40755)), [
    { what: /open to others/, remedy: 'close it: chmod o= /home/bot' },
  ]);
  t.match(judge(own(0o40700), own(0o100600, 0)), [{ what: /^\/h\/\.env belongs to user id 0/ }]);
  t.match(judge(own(0o40700), own(0o100640)), [{ what: /^\/h\/\.env is open to others than bot/ }]);
  const nobody = { ...account, home: '/nonexistent' };
  const files = new Map<string, undefined>();
  t.strictSame(judgeAccount({ profile: 'x', account: nobody, accountHome: undefined, files }), []);
});

t.test('only a refused connection proves that nobody listens on a socket', async (t) => {
  t.ok(isProofOfDeath('ECONNREFUSED'));
  for (const errno of ['EACCES', 'EPERM', 'EAGAIN', 'ENOENT', undefined]) {
    t.notOk(isProofOfDeath(errno), errno ?? 'an unknown error');
  }
});
