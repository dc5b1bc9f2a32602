// Started by `npm start`, `npm test` and .ci/run, as anybody, in a clone where nothing may be
// installed or built yet. Promises: on return the dependencies fit package-lock.json, their
// native parts load, and dist/ is built from the sources as they are. Says on stderr what it
// does; silent and quick when there is nothing to do. Next comes the program itself.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  areDependenciesFresh,
  installDependencies,
  linkOwnCommand,
} from './ensure/dependencies.mjs';
import { withLock } from './ensure/lock.mjs';
import { isBuildFresh } from './ensure/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const WANTED_NODE = [20, 19];
const FAILED = 1;

/** What stops us, in words for the person who started us. */
class Refusal extends Error {}

export async function ensure() {
  checkNode(process.versions.node);
  if (!areDependenciesFresh(root) || !isBuildFresh(root)) {
    // asked again inside: whoever held the lock before us may have done it all
    await withLock(root, say, async () => {
      if (!areDependenciesFresh(root)) installDependencies({ root, say, refuse });
      if (!isBuildFresh(root)) await buildAll();
    });
  }
  linkOwnCommand(root);
}

function checkNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > WANTED_NODE[0] || (major === WANTED_NODE[0] && minor >= WANTED_NODE[1])) return;
  refuse(`expected Node ${WANTED_NODE.join('.')} or newer, got ${version}`, 'install a newer Node');
}

async function buildAll() {
  say('building (sources are newer than dist/)');
  const startedAt = performance.now();
  try {
    const { build } = await import('./build.mjs');
    await build();
  } catch (error) {
    refuse(`the build failed: ${error.message}`, 'mend the source named above and start again');
  }
  say(`built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

function refuse(what, next) {
  throw new Refusal(`${what}\n  next: ${next}`);
}

function say(line) {
  process.stderr.write(`ensure: ${line}\n`);
}

/** Runs `ensure` as a program does: a refusal is two lines and a code, not a stack. */
export async function ensureOrFail() {
  try {
    await ensure();
    return true;
  } catch (error) {
    say(`error: ${error instanceof Refusal ? error.message : error.stack}`);
    process.exitCode = FAILED;
    return false;
  }
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await ensureOrFail();
