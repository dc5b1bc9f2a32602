import { join } from 'node:path';
import type { LimitSupport, ScopeLimits } from '../port.js';
import type { CgroupFiles } from './files.js';

/** The kernel's own period for cpu.max. */
const CPU_PERIOD_US = 100_000;

/** Writes what controllers can hold a whole cgroup to. @returns what was refused, one clause each */
export function writeLimits(directory: string, limits: ScopeLimits, facts: LimitFacts): string[] {
  return planLimits(limits, facts).flatMap(({ file, text }) => {
    const errno = facts.files.write(join(directory, file), text);
    return errno === undefined ? [] : [`${file} refused ${text} (${errno})`];
  });
}

export interface LimitFacts {
  readonly support: LimitSupport;
  readonly files: CgroupFiles;
  /** nobody lives in it but in cgroups below it: only such a one may hand controllers down */
  readonly isInner: boolean;
}

function planLimits(
  { memoryBytes, processes, cpus }: ScopeLimits,
  { support, isInner }: Pick<LimitFacts, 'support' | 'isInner'>,
): { readonly file: string; readonly text: string }[] {
  const plan: { file: string; text: string }[] = [];
  if (memoryBytes !== undefined && support.memoryBytes.kind === 'tree') {
    plan.push({ file: 'memory.max', text: String(memoryBytes) });
  }
  if (isInner && support.memoryBytes.kind === 'tree') {
    // the leaves count their own out-of-memory kills, and turns get limits of their own
    plan.push({ file: 'cgroup.subtree_control', text: '+memory' });
  }
  if (processes !== undefined && support.processes.kind === 'tree') {
    plan.push({ file: 'pids.max', text: String(processes) });
  }
  if (cpus !== undefined && support.cpus.kind === 'tree') {
    const quotaUs = Math.max(1000, Math.round(cpus * CPU_PERIOD_US));
    plan.push({ file: 'cpu.max', text: `${quotaUs} ${CPU_PERIOD_US}` });
  }
  return plan;
}

/** `oom_kill` of memory.events: processes that were ended because of this cgroup's limit or the host. */
export function parseOomKills(memoryEvents: string | undefined): number {
  return Number(/^oom_kill (\d+)$/m.exec(memoryEvents ?? '')?.[1] ?? 0);
}
