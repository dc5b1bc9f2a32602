import { chmodSync, chownSync, lchownSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isRootsAlone } from '../../../src/config/account-problems.js';
import { judgeFound, judgeUser } from '../../../src/config/accounts.js';
import { childEnvironment } from '../../../src/config/index.js';
import type { FoundAccount } from '../../../src/core/account.js';
import { homeWith, loadOne, problemsOfOne, profileOf } from '../../support/config-home.js';

const BOT = { name: 'bot', uid: 1500, gid: 1500, groups: [29], home: '/home/bot' };
const ROOT = { uid: 0, gid: 0 };

function judge(
  account: Partial<typeof BOT>,
  own = ROOT,
  { group, with: other }: { readonly group?: string; readonly with?: string } = {},
) {
  const found: FoundAccount = {
    kind: 'found',
    account: { ...BOT, ...account },
    sharesGroupWith: other,
  };
  return judgeFound(found, { words: { user: 'bot', group }, own });
}

t.test('root may start a gateway as another account', async (t) => {
  t.match(judge({}), { kind: 'runs-as', account: BOT });
});

t.test('an account may name itself, and then nothing is changed', async (t) => {
  t.strictSame(judge({}, { uid: 1500, gid: 1500 }), { kind: 'runs-as', account: undefined });
  t.strictSame(judge({ uid: 0, gid: 0 }), { kind: 'runs-as', account: undefined }, 'so may root');
});

const REFUSED: readonly (readonly [string, ReturnType<typeof judge>, RegExp])[] = [
  [
    'another account where we are not root',
    judge({}, { uid: 1000, gid: 100 }),
    /uid 1000.*only root/,
  ],
  ['another group of root', judge({ uid: 0, gid: 9 }, ROOT, { group: 'x' }), /no other group/],
  ['the group of root', judge({ gid: 0 }), /other than those of root/],
  ['a group with somebody else in it', judge({}, ROOT, { with: 'kim' }), /kim is in it too/],
];

for (const [what, judged, expected] of REFUSED) {
  t.test(`${what} is refused`, async (t) => {
    t.match(judged, { kind: 'refused', problem: { expected } });
  });
}

t.test('what does not exist is refused with what to write instead', async (t) => {
  const asked = { words: { user: '77', group: undefined }, own: ROOT };
  t.match(judgeFound({ kind: 'no-user' }, asked), { problem: { hint: /getent passwd/ } });
  t.match(judgeFound({ kind: 'no-group' }, asked), { problem: { hint: /getent group/ } });
  t.match(judgeFound({ kind: 'no-group-said' }, asked), { problem: { hint: /"77:GID"/ } });
  t.match(judgeUser('no such account'), { kind: 'refused' });
  t.match(judgeUser('gatewarden-no-such-account'), { kind: 'refused' });
});

t.test('a file of root alone is one that nobody else can change', async (t) => {
  const file = (uid: number, gid: number, mode: number) =>
    isRootsAlone({ uid, gid, mode, isSymbolicLink: () => false });
  t.ok(file(0, 5, 0o100644));
  t.ok(file(0, 0, 0o100664), 'the group of root is root');
  t.notOk(file(0, 5, 0o100664));
  t.notOk(file(0, 0, 0o100646));
  t.notOk(file(5, 0, 0o100600));
  t.ok(isRootsAlone({ uid: 0, gid: 5, mode: 0o120777, isSymbolicLink: () => true }));
});

t.test('an account has the environment of its own login', async (t) => {
  const parent = {
    PATH: '/root/.local/bin:/sbin:/bin',
    HOME: '/root',
    USER: 'root',
    LOGNAME: 'root',
    SHELL: '/bin/bash',
    TMPDIR: '/root/tmp',
    XDG_RUNTIME_DIR: '/run/user/0',
    LANG: 'C',
  };
  t.strictSame(childEnvironment(parent, {}, { ...BOT, uid: 64_001 }), {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C',
    HOME: '/home/bot',
    USER: 'bot',
    LOGNAME: 'bot',
  });
  t.match(
    childEnvironment(parent, { HOME: '/srv', PATH: '/srv/bin' }, BOT),
    { HOME: '/srv', PATH: '/srv/bin' },
    'the profile says more',
  );
});

const asRoot = { skip: process.geteuid?.() === 0 ? false : 'only root can name another account' };
const USER = '"64001:64001"';

t.test('our own account changes nothing anywhere', async (t) => {
  const { account, user } = loadOne(t, `user: "${process.geteuid?.()}"\n`);
  t.equal(account, undefined);
  t.equal(user, String(process.geteuid?.()));
});

t.test('its number is what a profile is loaded with', asRoot, async (t) => {
  t.match(loadOne(t, `user: ${USER}\n`).account, { uid: 64_001, gid: 64_001 });
});

t.test('an account from a secret is refused: its .env is its own to write', asRoot, async (t) => {
  const problems = problemsOfOne(t, 'user: ${WHO}\n', 'WHO=64001:64001\n');
  t.match(problems, [{ key: 'user', expected: /without \$\{NAME\}/, got: '[secret]' }]);
});

t.test('what says as whom a gateway runs must be for root alone to change', asRoot, async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': `user: ${USER}\n` });
  const file = join(home, 'profiles', 'one', 'config.yaml');
  t.equal(profileOf(home).kind, 'good');
  const isRefused = (what: string) =>
    t.match(
      profileOf(home),
      { kind: 'bad', problems: [{ key: 'user', hint: /chown root/ }] },
      what,
    );

  chownSync(file, 64_001, 0);
  isRefused('a configuration that belongs to the account itself');
  chownSync(file, 0, 0);
  chmodSync(file, 0o666);
  isRefused('one that everybody may write');
  chmodSync(file, 0o644);
  chownSync(join(home, 'profiles', 'one'), 64_001, 0);
  isRefused('a directory in which the account may put another one');
  chownSync(join(home, 'profiles', 'one'), 0, 0);
  chmodSync(join(home, 'profiles'), 0o777);
  isRefused('a directory in which everybody may put another profile');
  chmodSync(join(home, 'profiles'), 0o755);
  t.equal(profileOf(home).kind, 'good');

  const elsewhere = join(home, 'elsewhere.yaml');
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
  t.equal(profileOf(home).kind, 'good', 'a link of root to a file of root');
  lchownSync(file, 64_001, 0);
  isRefused('a link of somebody else');
  lchownSync(file, 0, 0);
  chownSync(elsewhere, 64_001, 0);
  isRefused('a link to a file of somebody else');
});

t.test('without user, who owns the files does not matter', asRoot, async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': '' });
  writeFileSync(join(home, 'config.yaml'), '');
  chownSync(join(home, 'profiles', 'one', 'config.yaml'), 64_001, 0);
  t.equal(profileOf(home).kind, 'good');
});
