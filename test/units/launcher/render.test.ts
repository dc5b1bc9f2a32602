import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import { renderLauncher } from '../../../units/launcher/render.js';
import { shellcheck, shellcheckMissing } from '../../support/shellcheck.js';

/** A version manager's folder with a package in it that tells how it was started. */
function versions(t: Test) {
  const root = mkdtempSync(join(tmpdir(), 'gw-launcher '));
  t.teardown(() => rmSync(root, { recursive: true }));
  const install = (version: string) => {
    const prefix = join(root, 'versions', version);
    const entry = join(prefix, 'lib/node_modules/gatewarden/bin/gatewarden.js');
    mkdirSync(join(prefix, 'bin'), { recursive: true });
    mkdirSync(join(entry, '..'), { recursive: true });
    symlinkSync(process.execPath, join(prefix, 'bin/node'));
    writeFileSync(
      entry,
      "console.log(JSON.stringify({ at: __filename, args: process.argv.slice(2), path: process.env.PATH.split(':')[0] }));",
    );
    return { prefix, entry, node: join(prefix, 'bin/node') };
  };
  return { root, install };
}

function launch(root: string, launcher: string, args: readonly string[]) {
  const path = join(root, 'gatewarden');
  writeFileSync(path, launcher);
  // no other Node can be found: what is asked is whether ours is
  const { status, stdout, stderr } = spawnSync('/bin/sh', [path, ...args], {
    encoding: 'utf8',
    env: { PATH: programsWithoutNode(root) },
  });
  return { status, stderr, told: stdout === '' ? undefined : JSON.parse(stdout) };
}

function programsWithoutNode(root: string): string {
  const folder = join(root, 'programs');
  mkdirSync(folder, { recursive: true });
  for (const name of ['find', 'sort', 'tail']) {
    const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    rmSync(join(folder, name), { force: true });
    symlinkSync(stdout.trim(), join(folder, name));
  }
  return folder;
}

t.test('it becomes the program, with its arguments and its Node first for tools', async (t) => {
  const { root, install } = versions(t);
  const { entry, node, prefix } = install('v20.1.0');
  const args = ['up', 'a b', '', "it's", '$HOME'];
  const { told, status } = launch(root, renderLauncher({ entry, node }), args);
  t.equal(status, 0);
  t.strictSame(told, { at: entry, args, path: join(prefix, 'bin') });
});

t.test('after an upgrade has removed its Node it takes the newest beside it', async (t) => {
  const { root, install } = versions(t);
  const old = install('v20.9.0');
  install('v20.10.0');
  const newest = install('v22.1.0');
  rmSync(old.prefix, { recursive: true });
  const { told } = launch(root, renderLauncher(old), ['up']);
  t.equal(told?.at, newest.entry, 'versions are compared as versions');
  t.equal(told?.path, join(newest.prefix, 'bin'));
});

t.test('with neither Node nor package it says so and is not tried again', async (t) => {
  const { root, install } = versions(t);
  const facts = install('v20.1.0');
  rmSync(join(facts.entry), { force: true });
  const gone = launch(root, renderLauncher(facts), ['up']);
  t.equal(gone.status, EXIT.config);
  t.match(gone.stderr, /expected the package at .*launcher-broken\)\n {2}next: /);
});

const missing = shellcheckMissing();

t.test(
  'shellcheck finds nothing in it, whatever the paths are',
  { skip: missing !== undefined && process.env['GATEWARDEN_REQUIRE_REAL'] !== '1' && missing },
  async (t) => {
    t.equal(missing, undefined);
    t.equal(shellcheck(renderLauncher({ entry: '/a/b.js', node: '/usr/bin/node' })), '');
    t.equal(shellcheck(renderLauncher({ entry: "/it's $x/b.js", node: '/a b/bin/node' })), '');
  },
);
