import { readFileSync } from 'node:fs';

/** As `units install` names them; a hash, a profile and the like follow. */
const OWN_UNIT = /^gatewarden[\w.@:\\-]*\.service$/;

/**
 * The unit of ours that runs a process, as the kernel's cgroup of it says; undefined: none, or
 * the same one that runs us, which is about to replace its own past.
 */
export function managingUnitOf(pid: number): string | undefined {
  const unit = unitIn(cgroupOf(pid));
  return unit === undefined || unit === unitIn(cgroupOf('self')) ? undefined : unit;
}

/** The outermost one: what a unit runs may have made cgroups further down. */
export function unitIn(cgroup: string): string | undefined {
  const path = cgroup.split('\n').find((line) => line.startsWith('0::')) ?? '';
  return path.split('/').find((part) => OWN_UNIT.test(part));
}

function cgroupOf(pid: number | 'self'): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
