import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { fingerprint } from '../../../src/config/fingerprint.js';
import { loadConfig } from '../../../src/config/index.js';
import { homeWith, putFile } from '../../support/config-home.js';

const EXECUTABLE = 0o755;

function fingerprintOf(home: string, path?: string): string {
  const found = loadConfig(home, { PATH: path }).profiles.get('one')?.fingerprint;
  if (found === undefined) throw new Error('no profile one');
  return found;
}

t.test('nothing changed: the fingerprint is the same', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': '', 'profiles/one/.env': 'A=b\n' });
  t.equal(fingerprintOf(home), fingerprintOf(home));
  t.match(fingerprintOf(home), /^[0-9a-f]{64}$/);
});

t.test('what another profile, the log or the state holds does not matter', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': '', 'profiles/two/config.yaml': '' });
  const before = fingerprintOf(home);
  putFile(home, 'profiles/two/config.yaml', 'drain_seconds: 1\n');
  putFile(home, 'profiles/one/state/gateway.json', '{}');
  putFile(home, 'profiles/one/notes.txt', 'x');
  putFile(home, 'config.yaml', 'supervisor: {stop: {kill_after_seconds: 1}}\n');
  t.equal(fingerprintOf(home), before);
});

t.test('who may read a file does not matter: a hand-over to an account is no change', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'command: [sh, bot.py]\n',
    'profiles/one/.env': 'A=b\n',
    'profiles/one/bot.py': 'print(1)\n',
  });
  chmodSync(join(home, 'profiles/one/.env'), 0o600);
  const before = fingerprintOf(home, process.env['PATH']);
  chmodSync(join(home, 'profiles/one/config.yaml'), 0o640);
  chmodSync(join(home, 'profiles/one/.env'), 0o400);
  chmodSync(join(home, 'profiles/one/bot.py'), 0o600);
  t.equal(fingerprintOf(home, process.env['PATH']), before);
});

const CHANGES: readonly (readonly [what: string, change: (home: string) => void])[] = [
  ['its config file', (home) => putFile(home, 'profiles/one/config.yaml', '# other\n')],
  ['its config file removed', (home) => rmSync(join(home, 'profiles/one/config.yaml'))],
  ['its secrets', (home) => putFile(home, 'profiles/one/.env', 'A=c\n')],
  ['its secrets removed', (home) => rmSync(join(home, 'profiles/one/.env'))],
  ['an environment file', (home) => putFile(home, 'more/x.env', 'C=e\n')],
  ['the host’s defaults', (home) => putFile(home, 'config.yaml', 'defaults: {essential: true}\n')],
  [
    'the host’s restart rules',
    (home) => putFile(home, 'config.yaml', 'supervisor: {restart: {jitter: 0}}\n'),
  ],
  [
    'the host’s storm rules',
    (home) => putFile(home, 'config.yaml', 'supervisor: {storm: {deaths: 9}}\n'),
  ],
  ['another settings file beside it', (home) => putFile(home, 'profiles/one/bot.json', '{"a": 2}')],
  ['a new settings file beside it', (home) => putFile(home, 'profiles/one/new.yml', 'a: 1\n')],
  ['the program', (home) => putFile(home, 'profiles/one/run', '#!/bin/sh\nexit 1\n')],
  ['the program’s permission', (home) => chmodSync(join(home, 'profiles/one/run'), 0o644)],
  ['the program touched', (home) => utimesSync(join(home, 'profiles/one/run'), 1, 1)],
  ['the program removed', (home) => rmSync(join(home, 'profiles/one/run'))],
  ['a file that it is given', (home) => putFile(home, 'profiles/one/bot.py', 'print(2)\n')],
];

for (const [what, change] of CHANGES) {
  t.test(`${what} changes the fingerprint`, async (t) => {
    const home = homeWith(t, {
      'profiles/one/config.yaml': 'command: [./run, bot.py]\nenv_files: [../../more/x.env]\n',
      'profiles/one/.env': 'A=b\n',
      'profiles/one/bot.json': '{"a": 1}',
      'profiles/one/run': '#!/bin/sh\n',
      'profiles/one/bot.py': 'print(1)\n',
      'more/x.env': 'C=d\n',
    });
    chmodSync(join(home, 'profiles/one/run'), EXECUTABLE);
    const before = fingerprintOf(home);
    change(home);
    t.not(fingerprintOf(home), before);
  });
}

t.test('a program is found on PATH, and installing it later counts', async (t) => {
  const home = homeWith(t, {
    'profiles/one/config.yaml': 'command: [the-bot]\n',
    'bin/other': '',
  });
  const path = `/nonexistent:${join(home, 'bin')}`;
  const before = fingerprintOf(home, path);
  putFile(home, 'bin/the-bot', '#!/bin/sh\n');
  const after = fingerprintOf(home, path);
  t.not(after, before);
  t.not(fingerprintOf(home, '/nonexistent'), after, 'another PATH, another program');
});

t.test('a PATH in the profile’s env decides where its program is', async (t) => {
  const home = homeWith(t, { 'bin/the-bot': '' });
  putFile(
    home,
    'profiles/one/config.yaml',
    `command: [the-bot]\nenv: {PATH: ${join(home, 'bin')}}\n`,
  );
  const before = fingerprintOf(home);
  putFile(home, 'bin/the-bot', 'changed');
  t.not(fingerprintOf(home), before);
});

t.test('fixing a bad file changes the fingerprint', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': 'nope: 1\n' });
  const bad = fingerprintOf(home);
  t.equal(fingerprintOf(home), bad);
  putFile(home, 'profiles/one/config.yaml', '');
  t.not(fingerprintOf(home), bad);
});

t.test('a cure that lies outside of every file changes the fingerprint', async (t) => {
  const home = homeWith(t, { 'profiles/one/config.yaml': 'command: [x]\ncwd: ../../work\n' });
  const bad = fingerprintOf(home);
  mkdirSync(join(home, 'work'));
  t.not(fingerprintOf(home), bad);
});

t.test('closing an open .env changes the fingerprint', async (t) => {
  // where others can reach it, which is what makes it open
  const home = mkdtempSync('/tmp/gw-');
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  putFile(home, 'profiles/one/.env', 'A=b\n');
  for (const path of ['', 'profiles', 'profiles/one']) chmodSync(join(home, path), 0o755);
  chmodSync(join(home, 'profiles/one/.env'), 0o644);
  const bad = fingerprintOf(home);
  chmodSync(join(home, 'profiles/one/.env'), 0o600);
  t.not(fingerprintOf(home), bad);
});

t.test('an upgrade of the program changes the fingerprint', async (t) => {
  const inputs = { directory: '/nowhere', inherited: '', files: [], program: undefined };
  t.not(fingerprint({ ...inputs, version: '1' }), fingerprint({ ...inputs, version: '2' }));
});
