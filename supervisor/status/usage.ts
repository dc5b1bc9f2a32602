import type { Containment, Scope } from '../../src/containment/index.js';

/** What one profile's processes use together. */
export interface Usage {
  readonly cpuPercent: number | undefined;
  readonly rssBytes: number | undefined;
  readonly processes: number;
}

/** Readings younger than this are used again: `status --watch` in ten terminals costs one. */
const FRESH_FOR_MS = 1000;

interface CpuSample {
  readonly cpuMs: number;
  readonly atMs: number;
}

/**
 * Measures profiles when somebody asks, never on a timer. What the kernel adds up for a cgroup
 * comes first; pidusage asks the processes one by one where it adds up nothing.
 */
export class UsageReader {
  readonly #containment: Containment;
  /** processor time is a difference: the first reading of a scope has nothing to differ from */
  readonly #samples = new WeakMap<Scope, CpuSample>();
  #readAt = Number.NEGATIVE_INFINITY;
  #usages: ReadonlyMap<string, Usage> = new Map();

  constructor(containment: Containment) {
    this.#containment = containment;
  }

  async read(scopes: ReadonlyMap<string, Scope>): Promise<ReadonlyMap<string, Usage>> {
    if (performance.now() - this.#readAt < FRESH_FOR_MS) return this.#usages;
    this.#readAt = performance.now();
    this.#usages = await this.#measure(scopes);
    return this.#usages;
  }

  async #measure(scopes: ReadonlyMap<string, Scope>): Promise<Map<string, Usage>> {
    const usages = new Map<string, Usage>();
    if (scopes.size === 0) return usages;
    const counted = await this.#containment.census([...scopes.values()]);
    const known = [...scopes].map(([name, scope]) => ({
      name,
      pids: counted.get(scope) ?? [],
      kernel: this.#kernelReading(scope),
    }));
    const toAsk = known.filter(({ kernel }) => !isComplete(kernel)).flatMap(({ pids }) => pids);
    const readings = await readPids(toAsk);
    for (const { name, pids, kernel } of known) {
      const asked = sum(pids, readings);
      usages.set(name, {
        cpuPercent: kernel.cpuPercent ?? asked.cpuPercent,
        rssBytes: kernel.rssBytes ?? asked.rssBytes,
        processes: pids.length,
      });
    }
    return usages;
  }

  #kernelReading(scope: Scope): KernelReading {
    const { cpuMs, memoryBytes: rssBytes } = scope.usage();
    if (cpuMs === undefined) return { cpuPercent: undefined, rssBytes };
    const atMs = performance.now();
    const last = this.#samples.get(scope);
    this.#samples.set(scope, { cpuMs, atMs });
    if (last === undefined || atMs <= last.atMs) return { cpuPercent: undefined, rssBytes };
    return { cpuPercent: toTenths((100 * (cpuMs - last.cpuMs)) / (atMs - last.atMs)), rssBytes };
  }
}

type KernelReading = Pick<Usage, 'cpuPercent' | 'rssBytes'>;

function isComplete({ cpuPercent, rssBytes }: KernelReading): boolean {
  return cpuPercent !== undefined && rssBytes !== undefined;
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

function sum(pids: readonly number[], readings: Readonly<Record<string, Reading>>): KernelReading {
  const known = pids.flatMap((pid) => readings[pid] ?? []);
  if (known.length === 0) return { cpuPercent: undefined, rssBytes: undefined };
  return {
    cpuPercent: toTenths(known.reduce((total, one) => total + one.cpu, 0)),
    rssBytes: known.reduce((total, one) => total + one.memory, 0),
  };
}

function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
