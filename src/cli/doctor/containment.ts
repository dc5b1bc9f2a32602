import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOwnPlaces } from '../../containment/index.js';
import type { SupervisorStatus } from '../../core/status.js';
import { type CheckResult, type DoctorFacts, fine } from './finding.js';

/** Looks only; what the supervisor really uses, and why, is its own word. */
export function checkContainment({ reach }: DoctorFacts): CheckResult {
  return fine(
    'containment',
    reach.kind === 'answers'
      ? describeUse(reach.report.supervisor)
      : `not in use yet; ${describeCgroup(readText, isWritable)}`,
  );
}

/** What a weaker rung cannot do is said, not hidden (docs/containment.md). */
const BEYOND: Readonly<Record<string, string>> = {
  'session+tag':
    'what scrubs its environment and loses its parent is not found, and limits hold for single processes only',
  'ps-tree': 'what loses its parent is not found, and limits hold for single processes only',
};

export function describeUse({
  containment,
  weakerBecause,
}: Pick<SupervisorStatus, 'containment' | 'weakerBecause'>): string {
  const reason = weakerBecause === null ? '' : `, nothing stronger because ${weakerBecause}`;
  const beyond = BEYOND[containment];
  return `in use: ${containment}${reason}${beyond === undefined ? '' : `; ${beyond}`}`;
}

type Read = (path: string) => string | undefined;

/** What cgroup v2 could offer here, in one clause. */
export function describeCgroup(read: Read, canWrite: (path: string) => boolean): string {
  if (read('/proc/self/stat') === undefined) return 'no /proc here: processes are found with ps';
  const found = findOwnPlaces(read('/proc/self/cgroup') ?? '', read('/proc/self/mountinfo') ?? '');
  if (found.kind === 'none') return `${found.because}: processes are found by session and tag`;
  const { directory, isReadOnly } = found.places[0];
  if (isReadOnly) return `the cgroup v2 mount at ${directory} is read-only`;
  if (!canWrite(join(directory, 'cgroup.procs'))) {
    return `the cgroup ${directory} is not delegated to us`;
  }
  const controllers = (read(join(directory, 'cgroup.controllers')) ?? '').trim();
  return `the cgroup ${directory} is writable, controllers: ${controllers === '' ? 'none' : controllers}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
