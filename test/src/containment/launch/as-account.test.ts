import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  becomingWords,
  findSetpriv,
  packedEnvironment,
} from '../../../../src/containment/launch/as-account.js';
import { launch } from '../../../../src/containment/launch/launch.js';
import { packageFile } from '../../../../src/core/package-root.js';
import { canRunThisClone } from '../../../support/accounts.js';

const UID = 64_001;
const ACCOUNT = { uid: UID, gid: UID, groups: [64_002] };
const PATH = '/usr/bin:/bin';

function skipReason(): string | false {
  if (findSetpriv() === undefined) return 'setpriv missing: apt-get install util-linux';
  return canRunThisClone(UID);
}
const options = { skip: skipReason() };

async function say(argv: readonly [string, ...string[]], env: Record<string, string> = {}) {
  const { child } = launch(
    { argv, cwd: '/', env: { PATH, ...env }, stdio: 'pipe', account: ACCOUNT },
    { tag: 'as-account-test', procsFile: undefined, dataBytes: undefined },
  );
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    said.stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { ...said, code };
}

/** Readable for everybody, which a directory of the test runner need not be. */
function scratch(t: Test): string {
  const path = mkdtempSync('/tmp/gw-as-');
  chmodSync(path, 0o755);
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

t.test('before root is given up the environment says nothing', async (t) => {
  const packed = packedEnvironment({ LD_PRELOAD: '/mine.so', PATH: '/mine' });
  t.strictSame(packed, {
    GATEWARDEN_LAUNCH_0: 'LD_PRELOAD=/mine.so',
    GATEWARDEN_LAUNCH_1: 'PATH=/mine',
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  });
});

t.test('every group but its own is given up', async (t) => {
  const words = becomingWords('/usr/bin/setpriv', { uid: 7, gid: 8, groups: [] }, '_');
  t.strictSame(words, [
    '/usr/bin/setpriv',
    '--reuid=7',
    '--regid=8',
    '--clear-groups',
    '--inh-caps=-all',
    '/bin/sh',
    packageFile('src', 'containment', 'launch', 'become.sh'),
    '_',
  ]);
});

t.test('a program runs as the account with its groups, and no way back', options, async (t) => {
  const { stdout, code } = await say([
    'grep',
    '-E',
    '^(Uid|Gid|Groups|CapEff|CapInh)',
    '/proc/self/status',
  ]);
  t.equal(code, 0);
  const all = (id: number) => `\t${id}\t${id}\t${id}\t${id}`;
  t.match(stdout, `Uid:${all(UID)}\nGid:${all(UID)}\nGroups:\t64002 `);
  t.match(stdout, /CapInh:\t0+\nCapEff:\t0+\n/);
});

t.test('its environment is what was asked for, to the last blank', options, async (t) => {
  const env = {
    EMPTY: '',
    LINES: 'one\ntwo\n',
    QUOTES: `'"$HOME\`id\`\\`,
    GATEWARDEN_LAUNCH_X: 'kept',
    IFS: ':',
    i: '5',
    'A-B': 'no shell can say this name',
  };
  const { stdout } = await say(['env', '-0'], env);
  const got = Object.fromEntries(
    stdout.split('\0').flatMap((entry) => {
      const at = entry.indexOf('=');
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );
  const { 'A-B': _, ...sayable } = env;
  // what some shells add by themselves, and the test runner to whatever is started
  const isOurs = (name: string) => !/^(?:PWD|_|NODE_OPTIONS|_TAPJS.*)$/.test(name);
  const rest = Object.fromEntries(Object.entries(got).filter(([name]) => isOurs(name)));
  t.strictSame(rest, { PATH, ...sayable, GATEWARDEN_SCOPE: 'as-account-test' });
});

t.test('a program that the account may not run ends it for good', options, async (t) => {
  const file = join(scratch(t), 'tool');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o700 });
  const { code, stderr } = await say([file]);
  t.equal(code, 78);
  t.match(stderr, `this account may not run ${file}`);
});
