// Tells whether node_modules is what package-lock.json asks for and whether its native parts
// load in this Node; installs or rebuilds when not.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureToolchain, nativeBuildEnv } from './toolchain.mjs';

/** Packages with a part that is compiled here; npm may be set not to run their scripts. */
const NATIVE = ['better-sqlite3', 'unix-dgram'];
const LOADS_NATIVE =
  "new (require('better-sqlite3'))(':memory:').close(); require('unix-dgram').createSocket;";

const OWN_COMMAND = 'gatewarden';
const OWN_TARGET = join('..', '..', 'bin', 'gatewarden.js');

const stampFile = (root) => join(root, 'node_modules', '.gatewarden-installed');

export function areDependenciesFresh(root) {
  try {
    if (readFileSync(stampFile(root), 'utf8') !== wantedStamp(root)) return false;
  } catch {
    return false;
  }
  return directDependencies(root).every((name) => existsSync(join(root, 'node_modules', name)));
}

export function installDependencies({ root, say, refuse }) {
  if (!isInstalled(root)) {
    if (isLink(join(root, 'node_modules'))) {
      refuse(
        'node_modules is a link to dependencies other than the wanted ones',
        'remove the link',
      );
    }
    ensureToolchain({ say, refuse });
    say('installing dependencies (npm ci; about two minutes, native parts are compiled)');
    runNpm({ root, refuse }, [
      'ci',
      '--include=dev',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
  }
  if (!doNativePartsLoad(root)) {
    ensureToolchain({ say, refuse });
    say(`compiling ${NATIVE.join(' and ')} for Node ${process.versions.node} (about a minute)`);
    runNpm({ root, refuse }, ['rebuild', '--ignore-scripts=false', '--loglevel=error', ...NATIVE]);
    if (!doNativePartsLoad(root)) {
      refuse(
        'better-sqlite3 was compiled but does not load',
        'run: node -e "require(\'better-sqlite3\')"',
      );
    }
  }
  writeFileSync(stampFile(root), wantedStamp(root));
}

/**
 * Puts our own command where npx looks first. Without it npx would install the package into
 * its cache, or ask the registry for a stranger of that name.
 */
export function linkOwnCommand(root) {
  if (isLink(join(root, 'node_modules'))) return;
  const link = join(root, 'node_modules', '.bin', OWN_COMMAND);
  try {
    if (readlinkSync(link) === OWN_TARGET) return;
  } catch {
    // not there, or not a link
  }
  rmSync(link, { force: true });
  try {
    symlinkSync(OWN_TARGET, link);
  } catch (error) {
    // another start made it in between
    if (error.code !== 'EEXIST') throw error;
  }
}

function wantedStamp(root) {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  return [lock.digest('hex'), process.platform, process.arch, process.versions.modules].join(' ');
}

function directDependencies(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
}

/** npm's own record of what it installed agrees with the lock file, package by package. */
function isInstalled(root) {
  let installed;
  try {
    installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  } catch {
    return false;
  }
  const wanted = readPackages(join(root, 'package-lock.json'));
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    // left out on other platforms
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && existsSync(join(root, path));
  });
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** In a child: a native part that was built for another Node may end the process that loads it. */
function doNativePartsLoad(root) {
  return spawnSync(process.execPath, ['-e', LOADS_NATIVE], { cwd: root }).status === 0;
}

function runNpm({ root, refuse }, args) {
  const npm = process.env.npm_execpath;
  const [program, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(program, [...prefix, ...args], {
    cwd: root,
    env: { ...process.env, ...nativeBuildEnv() },
    // our stdout belongs to the program that comes next
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  const reason = error === undefined ? `code ${status}` : error.message;
  refuse(`npm ${args[0]} failed (${reason})`, 'read the lines above; run it by hand with: npm ci');
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
