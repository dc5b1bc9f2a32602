import {
  type Membership,
  pickMembers,
  readScope,
  scanProcesses,
} from '../../src/containment/index.js';

/** What one profile's processes use together. */
export interface Usage {
  readonly cpuPercent: number | undefined;
  readonly rssBytes: number | undefined;
  readonly processes: number;
}

/** Readings younger than this are used again: `status --watch` in ten terminals costs one. */
const FRESH_FOR_MS = 1000;

/** Measures profiles when somebody asks, never on a timer. */
export class UsageReader {
  #readAt = Number.NEGATIVE_INFINITY;
  #usages: ReadonlyMap<string, Usage> = new Map();

  async read(members: ReadonlyMap<string, Membership>): Promise<ReadonlyMap<string, Usage>> {
    if (performance.now() - this.#readAt < FRESH_FOR_MS) return this.#usages;
    this.#readAt = performance.now();
    this.#usages = await measure(members);
    return this.#usages;
  }
}

async function measure(members: ReadonlyMap<string, Membership>): Promise<Map<string, Usage>> {
  const usages = new Map<string, Usage>();
  if (members.size === 0) return usages;
  const snapshot = scanProcesses();
  // only what has lost its parent needs its environment read: the rest is found by descent
  const scopeOf = orphanScopes(snapshot);
  const pids = new Map<string, number[]>();
  for (const [name, membership] of members) {
    const picked = pickMembers(snapshot, membership, { selfPid: process.pid, scopeOf });
    pids.set(
      name,
      picked.map((one) => one.pid),
    );
  }
  const readings = await readPids([...pids.values()].flat());
  for (const [name, own] of pids) usages.set(name, sum(own, readings));
  return usages;
}

function orphanScopes(
  snapshot: ReturnType<typeof scanProcesses>,
): (pid: number) => string | undefined {
  const alive = new Set(snapshot.map((one) => one.pid));
  const orphans = new Set(
    snapshot.filter((one) => one.ppid <= 1 || !alive.has(one.ppid)).map((one) => one.pid),
  );
  return (pid) => (orphans.has(pid) ? readScope(pid) : undefined);
}

interface Reading {
  readonly cpu: number;
  readonly memory: number;
}

async function readPids(pids: readonly number[]): Promise<Readonly<Record<string, Reading>>> {
  if (pids.length === 0) return {};
  // loaded when first asked for: a supervisor that nobody looks at does not pay for it
  const { default: pidusage } = await import('pidusage');
  try {
    return await pidusage([...pids]);
  } catch {
    return {}; // all of them ended while we looked
  }
}

function sum(pids: readonly number[], readings: Readonly<Record<string, Reading>>): Usage {
  const known = pids.flatMap((pid) => readings[pid] ?? []);
  if (known.length === 0)
    return { cpuPercent: undefined, rssBytes: undefined, processes: pids.length };
  return {
    cpuPercent: Math.round(known.reduce((total, one) => total + one.cpu, 0) * 10) / 10,
    rssBytes: known.reduce((total, one) => total + one.memory, 0),
    processes: pids.length,
  };
}
