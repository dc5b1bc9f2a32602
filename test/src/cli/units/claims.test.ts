import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { MANAGERS, type Manager } from '../../../../units/managers.js';
import { unitFolder } from '../../../support/unit-folder.js';

t.jobs = 2;

type Folder = Awaited<ReturnType<typeof unitFolder>>;
type Put = (path: string, root: string) => void;

const fileWith =
  (text: string): Put =>
  (path) =>
    writeFileSync(path, text);
const link =
  (to: string): Put =>
  (path) =>
    symlinkSync(to, path);
/** A slot that somebody else made. */
const slotWith =
  (files: Readonly<Record<string, string>>): Put =>
  (path) => {
    mkdirSync(path);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  };

const UNIT = '[Service]\nExecStart=/usr/local/bin/bots\nWorkingDirectory=/srv/bots\n';
const RUBBISH = '\u0000\ufffdrubbish';

const NOT_OURS: Readonly<Record<Manager, Readonly<Record<string, Put>>>> = {
  systemd: {
    'a unit without a home': fileWith(UNIT),
    rubbish: fileWith(RUBBISH),
    'a mask': link('/dev/null'),
    'a directory': (path) => mkdirSync(path),
    'a link that leads nowhere': link('/nonexistent/bots.service'),
  },
  s6: {
    'a slot without a home': slotWith({ run: '#!/bin/sh\nexec sleep 1000\n' }),
    'an empty run beside files of somebody': slotWith({ run: '', 'data.db': 'x' }),
    'a file': fileWith(''),
    'a link': link('/nonexistent/slot'),
  },
  launchd: {
    'a job without a home': fileWith('<plist version="1.0"><dict></dict></plist>'),
    rubbish: fileWith(RUBBISH),
    'a directory': (path) => mkdirSync(path),
  },
};

for (const manager of MANAGERS) {
  t.test(`what is not ours is neither written over nor removed: ${manager}`, async (t) => {
    const { out, pathOf, root, units } = await unitFolder(t);
    const path = pathOf[manager];
    mkdirSync(out);
    for (const [what, put] of Object.entries(NOT_OURS[manager])) {
      put(path, root);
      const { ino, mtimeMs } = lstatSync(path);
      for (const verb of ['install', 'uninstall', 'print', 'diff']) {
        const { code, stderr } = await units(verb, manager);
        t.equal(code, CLI_EXIT.refused, `${verb} of ${what}: ${stderr}`);
        t.match(stderr, '(unit-not-ours)');
        t.match(stderr, what === 'a mask' ? 'systemctl --user unmask gatewarden-' : `mv ${path} `);
      }
      const { ino: inoAfter, mtimeMs: after } = lstatSync(path);
      t.strictSame([inoAfter, after], [ino, mtimeMs], `${what} was not touched`);
      rmSync(path, { recursive: true });
    }
  });

  t.test(`a link to a unit of ours is somebody’s doing: ${manager}`, async (t) => {
    const { out, pathOf, root, units } = await unitFolder(t);
    t.equal((await units('install', manager)).code, CLI_EXIT.done);
    const moved = join(root, 'moved');
    renameSync(pathOf[manager], moved);
    symlinkSync(moved, pathOf[manager]);
    for (const verb of ['install', 'uninstall']) {
      const { code, stderr } = await units(verb, manager);
      t.equal(code, CLI_EXIT.refused, verb);
      t.match(stderr, `it is a link to ${moved} (unit-not-ours)`);
    }
    t.ok(existsSync(out) && lstatSync(pathOf[manager]).isSymbolicLink());
  });

  t.test(`a unit of ours that lost its home is written again: ${manager}`, async (t) => {
    const folder = await unitFolder(t);
    t.equal((await folder.units('install', manager)).code, CLI_EXIT.done);
    const file = manager === 's6' ? join(folder.pathOf.s6, 'run') : folder.pathOf[manager];
    const whole = readFileSync(file, 'utf8');
    const firstLines = whole.slice(
      0,
      whole.indexOf(manager === 's6' ? 'exec 2>&1' : 'Gatewarden '),
    );
    const ruins = [
      '',
      '\0'.repeat(whole.length),
      manager === 'launchd' ? whole.slice(0, 160) : firstLines,
    ];
    for (const ruin of ruins) await repairs(t, folder, { manager, file, whole, ruin });
  });
}

async function repairs(
  t: Test,
  { pathOf, units }: Folder,
  { manager, file, whole, ruin }: Record<'file' | 'whole' | 'ruin', string> & { manager: Manager },
) {
  writeFileSync(file, ruin);
  const removal = await units('uninstall', manager);
  t.equal(removal.code, CLI_EXIT.refused, 'whose the process of that name is cannot be told');
  t.match(removal.stderr, `mv ${pathOf[manager]} `);
  t.equal((await units('install', manager)).code, CLI_EXIT.done, JSON.stringify(ruin));
  t.equal(readFileSync(file, 'utf8'), whole);
}

t.test('a program of the operator in the place of the launcher stays there', async (t) => {
  const { home, units } = await unitFolder(t);
  const launcher = join(home, 'bin', 'gatewarden');
  mkdirSync(join(home, 'bin'));
  writeFileSync(launcher, '#!/bin/sh\nexec mine\n');
  const { code, stderr } = await units('install', 'systemd');
  t.equal(code, CLI_EXIT.refused);
  t.match(stderr, `mv ${launcher} ${launcher}.old`);
  t.equal(readFileSync(launcher, 'utf8'), '#!/bin/sh\nexec mine\n');
});
