// Loaded into every Node process of a test run, the product's own too. Writes each warning of
// Node (deprecated, experimental, leaking listeners, …) to a file that fails the run. The file
// is named in this module's own address, so that nothing is added to anyone's environment.
//
// Also keeps the test runner's hooks out of what the tests start: they take twice as long to load
// as Node itself, they answer signals, and their last words fail in a process of another account.
import { ChildProcess } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('to');
/** the test runner's own hooks, nothing that we ship */
const FOREIGN = /node_modules[\\/](@tapjs|tap|@isaacs)[\\/]/;

process.on('warning', (warning) => {
  const stack = String(warning.stack ?? warning);
  if (file === null || FOREIGN.test(stack)) return;
  try {
    appendFileSync(file, `${JSON.stringify({ argv: process.argv.slice(1), stack })}\n`);
  } catch {
    // the run is over and has taken the file along
  }
});

const RUNNERS_HOOKS = /"?--import=[^"\s]*@tapjs\/processinfo\/[^"\s]*"?/g;
const OURS = `--import=${import.meta.url}`;

/** @param {string[]} pairs `NAME=value` */
function withoutRunner(pairs) {
  const isOptions = (pair) => pair.startsWith('NODE_OPTIONS=');
  const given = pairs.find(isOptions)?.slice('NODE_OPTIONS='.length) ?? OURS;
  const kept = given.replace(RUNNERS_HOOKS, '').trim();
  return [...pairs.filter((pair) => !isOptions(pair)), `NODE_OPTIONS=${kept}`];
}

// loaded before the runner's own hooks, so it is what they call last
const spawn = ChildProcess.prototype.spawn;
ChildProcess.prototype.spawn = function spawnWithoutRunner(options) {
  return spawn.call(this, { ...options, envPairs: withoutRunner(options.envPairs ?? []) });
};
