import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Tree } from '../end-tree.js';
import type { ScopeMember } from '../port.js';

/** A member as ps knows it; the start time is the text that ps prints, good to a second. */
export interface PsMember extends ScopeMember {
  readonly started: string;
}

/** The given processes that are still who they were, and all that descends from them. */
export async function findByPs(known: readonly PsMember[]): Promise<PsMember[]> {
  const started = new Map(known.map((member) => [member.pid, member.started]));
  const now = await describeByPs([...started.keys()]);
  // a number that a stranger has by now must not lead to his children
  const alive = now.filter((member) => started.get(member.pid) === member.started);
  const below = (await Promise.all(alive.map(({ pid }) => descendantsOf(pid)))).flat();
  const fresh = [...new Set(below)].filter((pid) => !started.has(pid));
  return [...alive, ...(await describeByPs(fresh))];
}

const run = promisify(execFile);

/** Loaded when it is needed: hardly any host is without /proc. */
async function descendantsOf(pid: number): Promise<number[]> {
  const { default: psTree } = await import('ps-tree');
  const found = await promisify(psTree)(pid);
  return found.filter(({ STAT }) => !STAT.startsWith('Z')).map(({ PID }) => Number(PID));
}

/** Start times of those that live; ps answers 1 when it knows none of them. */
export async function describeByPs(pids: readonly number[]): Promise<PsMember[]> {
  if (pids.length === 0) return [];
  const columns = ['-o', 'pid=', '-o', 'stat=', '-o', 'lstart='];
  const { stdout } = await run('ps', [...columns, '-p', pids.join(',')], {
    env: { ...process.env, LC_ALL: 'C' },
  }).catch((error: { code?: unknown }) => {
    if (error.code === 1) return { stdout: '' };
    throw error;
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, state = '', started = ''] = /^\s*(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), startTicks: undefined, started }];
  });
}

/** The last rung: what descends from the roots, remembered when its parents die. */
export class PsTree implements Tree {
  readonly #roots: readonly PsMember[];
  readonly #lookEveryMs: number;
  #known = new Map<number, PsMember>();

  /** @param known descendants that were seen before: their parents may be gone by now */
  constructor(roots: readonly PsMember[], known: readonly PsMember[], lookEveryMs: number) {
    this.#roots = roots;
    this.#lookEveryMs = lookEveryMs;
    for (const member of [...roots, ...known]) this.#known.set(member.pid, member);
  }

  async members(): Promise<readonly PsMember[]> {
    const alive = await findByPs([...this.#known.values()]);
    this.#known = new Map(alive.map((one) => [one.pid, one]));
    return alive;
  }

  roots(): readonly ScopeMember[] {
    return this.#roots.filter(({ pid }) => this.#known.has(pid));
  }

  signal(members: readonly ScopeMember[], signal: NodeJS.Signals): readonly number[] {
    // callers pass what `members` has just told: nothing better than that moment can be had
    return members
      .filter(({ pid }) => this.#known.has(pid) && trySignal(pid, signal))
      .map(({ pid }) => pid);
  }

  async kill(): Promise<readonly number[]> {
    return this.signal(await this.members(), 'SIGKILL');
  }

  async emptied(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      if ((await this.members()).length === 0) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(this.#lookEveryMs, leftMs));
    }
  }

  async rootsGone(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while ((await this.members()).length > 0 && this.roots().length > 0) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return;
      await sleep(Math.min(this.#lookEveryMs, leftMs));
    }
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
