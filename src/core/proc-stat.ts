/** What /proc/PID/stat says that we use. */
export interface ProcStat {
  readonly pid: number;
  /** one letter; Z and X are dead */
  readonly state: string;
  readonly ppid: number;
  readonly pgrp: number;
  readonly session: number;
  /** clock ticks since boot */
  readonly startTicks: number;
}

/** Fields after the command's closing bracket, counted from 0 (proc(5) counts from 1 at pid). */
const FIELD = { state: 0, ppid: 1, pgrp: 2, session: 3, startTicks: 19 } as const;

/**
 * Parses the text of /proc/PID/stat. The command name may hold blanks and brackets, so the
 * fields start after the last bracket. Returns undefined for anything else.
 */
export function parseProcStat(text: string): ProcStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const numberAt = (index: number): number => Number(fields[index]);
  const stat = {
    pid: Number(text.slice(0, open).trim()),
    state: fields[FIELD.state] ?? '',
    ppid: numberAt(FIELD.ppid),
    pgrp: numberAt(FIELD.pgrp),
    session: numberAt(FIELD.session),
    startTicks: numberAt(FIELD.startTicks),
  };
  const complete = [stat.pid, stat.ppid, stat.pgrp, stat.session, stat.startTicks].every(
    Number.isInteger,
  );
  return complete && stat.state !== '' ? stat : undefined;
}

/** A zombie holds no resources and cannot be signalled back to life: it counts as dead. */
export function isDeadState(state: string): boolean {
  return state === 'Z' || state === 'X' || state === 'x';
}
