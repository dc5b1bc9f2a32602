import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { handOver } from '../../../supervisor/accounts/hand-over.js';

const isRoot = process.geteuid?.() === 0;
const options = { skip: isRoot ? false : 'only root can give files away' };

const BOT = { uid: 64_001, gid: 64_001 };
const OTHER = { uid: 64_002, gid: 64_002 };
const ROOT = { uid: 0, gid: 0 };

/** A directory of root with a state in it, and a file of root beside it that nobody may get. */
function place(t: Test) {
  const root = mkdtempSync('/tmp/gw-hand-');
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const state = join(root, 'state');
  const shadow = join(root, 'shadow');
  writeFileSync(shadow, 'secret', { mode: 0o600 });
  return { state, shadow, inner: join(state, 'evidence'), db: join(state, 'state.db') };
}

function fill({ db, inner, state }: ReturnType<typeof place>, owner = ROOT): void {
  mkdirSync(inner, { recursive: true });
  writeFileSync(db, 'db', { mode: 0o644 });
  writeFileSync(join(inner, 'one.json'), '{}', { mode: 0o4666 });
  for (const path of [db, join(inner, 'one.json'), inner, state]) {
    chownSync(path, owner.uid, owner.gid);
  }
}

function shown(path: string): string {
  const { gid, mode, uid } = lstatSync(path);
  return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
}

const bots = (mode: string, { uid, gid } = BOT) => `${uid}:${gid} ${mode}`;

t.test('a state that is not there is made for the account', options, async (t) => {
  const { state } = place(t);
  t.equal(handOver(state, BOT), undefined);
  t.equal(shown(state), bots('700'));
});

t.test('what root has made becomes the account’s, closed to all others', options, async (t) => {
  const at = place(t);
  fill(at);
  symlinkSync(at.shadow, join(at.state, 'link'));
  t.equal(handOver(at.state, BOT), undefined);
  t.equal(shown(at.state), bots('700'));
  t.equal(shown(at.inner), bots('700'));
  t.equal(shown(at.db), bots('600'));
  t.equal(shown(join(at.inner, 'one.json')), bots('600'), 'no bit of another account stays');
  t.match(shown(join(at.state, 'link')), /^0:0 /, 'a link of root is left alone');
  t.equal(shown(at.shadow), '0:0 600', 'and so is what it leads to');
});

t.test('what is the account’s already is not looked through again', options, async (t) => {
  const at = place(t);
  fill(at, BOT);
  linkSync(at.shadow, join(at.inner, 'mine-now'));
  chmodSync(at.state, 0o755);
  t.equal(handOver(at.state, BOT), undefined);
  t.equal(shown(at.state), bots('700'));
  t.equal(shown(at.shadow), '0:0 600', 'a second name for a file of root gives nothing away');
});

t.test('from one account to the next, without root’s things', options, async (t) => {
  const at = place(t);
  fill(at, OTHER);
  t.equal(handOver(at.state, BOT), undefined);
  for (const [path, mode] of [
    [at.state, '700'],
    [at.inner, '700'],
    [at.db, '600'],
  ] as const) {
    t.equal(shown(path), bots(mode), path);
  }
});

const TRAPS: readonly (readonly [string, (at: ReturnType<typeof place>, path: string) => void])[] =
  [
    ['a symbolic link', ({ shadow }, path) => symlinkSync(shadow, path)],
    ['a file with 2 names (hard links)', ({ shadow }, path) => linkSync(shadow, path)],
    [
      "a file of root in another account's place",
      ({ shadow }, path) => {
        // as after a change of the password file: the old inode has this name alone
        linkSync(shadow, path);
        unlinkSync(shadow);
      },
    ],
    ['a special file', (_, path) => void spawnSync('mkfifo', [path])],
  ];

for (const [got, set] of TRAPS) {
  t.test(`${got} that an account left for the next one stops it`, options, async (t) => {
    const at = place(t);
    fill(at, OTHER);
    const trap = join(at.inner, 'trap');
    set(at, trap);
    t.strictSame(handOver(at.state, BOT), { path: trap, got });
    t.match(shown(at.state), /^0:0 /, 'root keeps the whole');
    if (existsSync(at.shadow)) t.equal(shown(at.shadow), '0:0 600');
    t.strictSame(handOver(at.state, BOT), { path: trap, got }, 'and a second try finds the same');
    unlinkSync(trap);
    t.equal(handOver(at.state, BOT), undefined, 'until it is removed');
    t.equal(shown(at.inner), bots('700'));
  });
}

t.test('nothing that root would follow comes back to root', options, async (t) => {
  const at = place(t);
  fill(at, BOT);
  symlinkSync(at.shadow, join(at.state, 'state.db-wal'));
  t.match(handOver(at.state, ROOT), { got: 'a symbolic link' });
  unlinkSync(join(at.state, 'state.db-wal'));
  t.equal(handOver(at.state, ROOT), undefined);
  t.equal(shown(at.state), '0:0 700');
  t.equal(shown(at.db), '0:0 600');
});

t.test('one that was cut short is not taken for root’s own', options, async (t) => {
  const at = place(t);
  fill(at, OTHER);
  linkSync(at.shadow, join(at.inner, 'trap'));
  unlinkSync(at.shadow);
  handOver(at.state, BOT);
  t.equal(shown(at.state), '0:0 1700', 'it is marked');
  chownSync(at.inner, OTHER.uid, OTHER.gid);
  t.match(handOver(at.state, BOT), { got: "a file of root in another account's place" });
});

t.test('a link in the place of the whole state is not followed', options, async (t) => {
  const at = place(t);
  const { state } = at;
  mkdirSync(`${state}-elsewhere`);
  symlinkSync(`${state}-elsewhere`, state);
  t.match(handOver(state, BOT), { path: state, got: /link/ });
  t.match(shown(`${state}-elsewhere`), /^0:0 /);
});
