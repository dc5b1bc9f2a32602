import { readFileSync, readlinkSync } from 'node:fs';
import type { ManagingUnit } from '../core/guard.js';
import { readStat } from '../store/process-table.js';

/** As `units install` names them; a hash, a profile and the like follow. */
const OWN_UNIT = /^gatewarden[\w.@:\\-]*\.service$/;

/**
 * The unit of ours that runs a process, as the kernel's cgroup of it says, or the slot of s6, as
 * its parent does; undefined: none, or the same one that runs us, which is about to replace its
 * own past.
 */
export function managingUnitOf(pid: number): ManagingUnit | undefined {
  const cgroup = cgroupOf(pid);
  const name = unitIn(cgroup);
  if (name !== undefined) {
    if (name === unitIn(cgroupOf('self'))) return undefined;
    const user = isUsers(cgroup) ? ' --user' : '';
    return { name, stopWith: `systemctl${user} stop ${name}` };
  }
  const slot = slotOf(pid);
  if (slot === undefined || slot === slotOf(process.pid)) return undefined;
  return { name: slot, stopWith: `s6-svc -d ${slot}` };
}

/** The outermost one: what a unit runs may have made cgroups further down. */
export function unitIn(cgroup: string): string | undefined {
  return partsOf(cgroup).find((part) => OWN_UNIT.test(part));
}

/** Below the manager of an account. */
function isUsers(cgroup: string): boolean {
  return partsOf(cgroup).some((part) => /^user@\d+\.service$/.test(part));
}

function partsOf(cgroup: string): string[] {
  const path = cgroup.split('\n').find((line) => line.startsWith('0::')) ?? '';
  return path.split('/');
}

/** s6-supervise lives in the folder of what it supervises. */
function slotOf(pid: number): string | undefined {
  try {
    const parent = readStat(pid)?.parentPid;
    if (readFileSync(`/proc/${parent}/comm`, 'utf8') !== 's6-supervise\n') return undefined;
    return readlinkSync(`/proc/${parent}/cwd`);
  } catch {
    return undefined;
  }
}

function cgroupOf(pid: number | 'self'): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
