import { readdirSync, readFileSync } from 'node:fs';
import { isDeadState, type ProcStat, parseProcStat } from '../../core/proc-stat.js';
import { SCOPE_VARIABLE } from '../../core/scope.js';

/** Every process that is alive now, zombies left out. Empty where there is no /proc. */
export function scanProcesses(): ProcStat[] {
  const found: ProcStat[] = [];
  for (const name of listProc()) {
    const stat = readStat(Number(name));
    if (stat !== undefined && !isDeadState(stat.state)) found.push(stat);
  }
  return found;
}

export function readStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined; // gone between listing and reading, or no /proc
  }
}

/** The scope tag a process was started with; undefined when it has none or is not ours to read. */
export function readScope(pid: number): string | undefined {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const start = `\0${environ}`.indexOf(`\0${SCOPE_VARIABLE}=`);
    if (start === -1) return undefined;
    const end = environ.indexOf('\0', start);
    return environ.slice(start + SCOPE_VARIABLE.length + 1, end === -1 ? undefined : end);
  } catch {
    return undefined; // gone, or another user's
  }
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
