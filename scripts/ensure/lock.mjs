// One installer or builder per clone. A directory is the lock because making one is atomic on
// every file system; who died without removing it is found out by pid and start time.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 200;
/** between making the directory and naming its owner an honest process needs far less */
const NAMELESS_GRACE_MS = 10_000;

export async function withLock(root, say, work) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const directory = join(root, 'dist', '.lock');
  await acquire(directory, say);
  try {
    return await work();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function acquire(directory, say) {
  let isTold = false;
  while (!tryAcquire(directory)) {
    const owner = readOwner(directory);
    if (isAbandoned(directory, owner)) {
      takeAway(directory);
      continue;
    }
    if (!isTold && owner !== undefined) {
      say(`waiting for pid ${owner.pid}, which installs or builds here already`);
      isTold = true;
    }
    await wait(POLL_MS);
  }
}

function tryAcquire(directory) {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  const owner = { pid: process.pid, startTicks: startTicksOf(process.pid) };
  writeFileSync(join(directory, 'owner.json'), JSON.stringify(owner));
  return true;
}

function readOwner(directory) {
  try {
    return JSON.parse(readFileSync(join(directory, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

function isAbandoned(directory, owner) {
  if (owner !== undefined) return !isAlive(owner);
  try {
    return Date.now() - statSync(directory).mtimeMs > NAMELESS_GRACE_MS;
  } catch {
    return false;
  }
}

function isAlive({ pid, startTicks }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  const now = startTicksOf(pid);
  return now === undefined || startTicks === undefined || now === startTicks;
}

/** Clock ticks since boot at which the process began; undefined where there is no /proc. */
function startTicksOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** By rename first, so that of two who find the same corpse only one removes it. */
function takeAway(directory) {
  const grave = `${directory}.${process.pid}`;
  try {
    renameSync(directory, grave);
    rmSync(grave, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
