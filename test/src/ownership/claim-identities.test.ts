import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { GatewardenError } from '../../../src/core/errors.js';
import { EXIT } from '../../../src/core/exit-codes.js';
import { packageFile } from '../../../src/core/package-root.js';
import { claimIdentitiesNow } from '../../../src/ownership/claim-identities.js';
import { identityStems } from '../../../src/ownership/identity-places.js';
import { ownOwner } from '../../../src/store/place.js';
import { startFixture } from '../../support/fixture-process.js';
import { until } from '../../support/until.js';

const TOKEN = '123:bot-token-that-nobody-may-see';
const OWNED = { scope: 'telegram', identity: TOKEN };
const MARK = createHash('sha256').update(TOKEN).digest('hex').slice(0, 16);

interface Teardown {
  teardown(undo: () => void): unknown;
}

/** Where everybody of the machine may write, as /run/lock is. */
function sharedStem(t: Teardown): string {
  const directory = mkdtempSync(join(tmpdir(), 'gw-locks-'));
  chmodSync(directory, 0o1777);
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return `${directory}/`;
}

function claim(stem: string, profile: string, when: 'start' | 'running' = 'start') {
  try {
    return claimIdentitiesNow([OWNED], { owner: ownOwner('/h', profile), stems: [stem], when });
  } catch (thrown) {
    if (thrown instanceof GatewardenError) return thrown;
    throw thrown;
  }
}

function isRefused(one: ReturnType<typeof claim>): one is GatewardenError {
  return one instanceof GatewardenError;
}

t.test('an identity that another process has is refused, and its owner is named', async (t) => {
  const stem = sharedStem(t);
  const holder = startFixture(t, 'store/claims-identity', [stem, TOKEN, 'sales', '/srv/other']);
  await holder.says('held');
  const refused = claim(stem, 'coder');
  if (!isRefused(refused)) throw new Error('it was given away twice');
  t.match(refused, { code: 'identity-taken', exitCode: EXIT.config });
  t.match(refused.message, `pid ${holder.pid} (gateway of profile sales in /srv/other,`);
  t.notMatch(refused.message, TOKEN);
  const busy = claim(stem, 'coder', 'running');
  t.match(busy, { code: 'identity-busy', exitCode: EXIT.failure }, 'mid-run it may be tried again');
  await holder.kill();
  t.notOk(isRefused(claim(stem, 'coder')), 'its death alone frees it');
});

t.test('no file tells the token, by its name or by its text', async (t) => {
  const stem = sharedStem(t);
  const claimed = claim(stem, 'coder');
  if (claimed === undefined || isRefused(claimed)) throw new Error('not claimed');
  const names = readdirSync(stem);
  t.ok(names.includes(`telegram-${MARK}.lock`));
  const texts = names.map((name) => readFileSync(join(stem, name), 'utf8')).join();
  t.notMatch(names.join() + texts, TOKEN);
  claimed.release();
  claimed.release();
  t.strictSame(readdirSync(stem), [`telegram-${MARK}.lock`], 'only the empty lock stays');
});

t.test('one profile may claim again, another one in the same process may not', async (t) => {
  const stem = sharedStem(t);
  const [first, again] = [claim(stem, 'coder'), claim(stem, 'coder')];
  t.match(claim(stem, 'sales'), { code: 'identity-taken' });
  for (const one of [first, again]) {
    if (one === undefined || isRefused(one)) throw new Error('a profile accused itself');
    t.match(claim(stem, 'sales'), { code: 'identity-taken' }, 'still held');
    one.release();
  }
  t.notOk(isRefused(claim(stem, 'sales')), 'free after the last');
});

t.test(
  'what a stranger planted in the open directory is neither followed nor emptied',
  async (t) => {
    const stem = sharedStem(t);
    const target = join(t.testdir(), 'precious');
    writeFileSync(target, 'precious');
    symlinkSync(target, `${stem}telegram-${MARK}.lock`);
    t.match(claim(stem, 'coder'), { code: 'lock-unusable', exitCode: EXIT.config });
    t.equal(readFileSync(target, 'utf8'), 'precious');
  },
);

t.test('an operator names the directory, otherwise every user of the machine meets', async (t) => {
  t.strictSame(identityStems({ GATEWARDEN_GATEWAY_LOCK_DIR: '/srv/locks' }), ['/srv/locks/']);
  const shared = identityStems({});
  t.ok(shared.length > 0);
  t.strictSame(shared, identityStems({ XDG_STATE_HOME: '/home/a' }), 'the same for each of them');
});

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

t.test('two users of one machine conflict', { skip: isRoot ? false : 'needs root' }, async (t) => {
  const stem = sharedStem(t);
  const held = claim(stem, 'coder');
  if (held === undefined || isRefused(held)) throw new Error('not claimed');
  const program = packageFile('dist', 'test', 'fixtures', 'store', 'claims-identity.js');
  const args = [program, stem, TOKEN, 'theirs', '/home/nobody'];
  const other = spawn(process.execPath, args, { uid: NOBODY, gid: NOBODY, env: {}, stdio: 'pipe' });
  t.teardown(() => other.kill('SIGKILL'));
  let said = '';
  for (const stream of [other.stdout, other.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await until('the other user has an answer', () => said.includes('\n'));
  t.match(said, `identity-taken ${EXIT.config}`);
  t.match(said, `pid ${process.pid} (gateway of profile coder in /h,`);
});
