import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../core/errors.js';
import { isDeadState, parseProcStat } from '../core/proc-stat.js';
import { isSameProcess, type ProcessIdentity } from '../core/process-identity.js';

/** `unknown`: a process with that pid exists, but nothing proves that it is the same one. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The identity of a process that runs now; undefined when there is none (a zombie is none). */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  if (stat !== undefined) return stat.dead ? undefined : toIdentity(pid, stat.startTicks);
  return probe(pid) === 'dead' ? undefined : toIdentity(pid, undefined);
}

/** Proven to be alive and the same process; what may be signalled. */
export function isAlive(identity: ProcessIdentity): boolean {
  return livenessOf(identity) === 'alive';
}

export function livenessOf(identity: ProcessIdentity): Liveness {
  const now = identityOf(identity.pid);
  if (now === undefined) return 'dead';
  if (isSameProcess(now, identity)) return 'alive';
  const comparable = now.startTicks !== undefined && identity.startTicks !== undefined;
  return comparable ? 'dead' : 'unknown';
}

/** The environment a process was started with; undefined when it may not be read or is gone. */
export function readEnviron(pid: number): ReadonlyMap<string, string> | undefined {
  const text = readText(`/proc/${pid}/environ`);
  return text === undefined ? undefined : parseEnviron(text);
}

/** Every pid that can be seen; undefined where there is no /proc. */
export function listPids(): number[] | undefined {
  try {
    return readdirSync('/proc').filter(isPid).map(Number);
  } catch {
    return undefined;
  }
}

/** Our own pid, our parent's, and so on up to the first process that cannot be read. */
export function ancestorsOf(pid: number): readonly number[] {
  const chain: number[] = [];
  for (let next = pid; next > 0 && !chain.includes(next); ) {
    chain.push(next);
    next = readStat(next)?.parentPid ?? 0;
  }
  return chain;
}

/** Tells this boot of the machine from every other; undefined where the kernel has no such id. */
export function bootId(): string | undefined {
  knownBootId ??= readText('/proc/sys/kernel/random/boot_id')?.trim();
  return knownBootId;
}

let knownBootId: string | undefined;

export interface ProcessStat {
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly startTicks: number;
  /** a zombie, or being taken down: it will never run again */
  readonly dead: boolean;
  /** by a signal: it does nothing, not even end by SIGTERM, until somebody continues it */
  readonly stopped: boolean;
}

/** Facts of /proc/PID/stat; undefined when the process is gone or there is no /proc. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** proc(5); one that a debugger holds is `t`, and moves on by itself. */
const STOPPED_STATE = 'T';

export function parseStat(text: string): ProcessStat | undefined {
  const stat = parseProcStat(text);
  if (stat === undefined) return undefined;
  return {
    parentPid: stat.ppid,
    groupId: stat.pgrp,
    sessionId: stat.session,
    startTicks: stat.startTicks,
    dead: isDeadState(stat.state),
    stopped: stat.state === STOPPED_STATE,
  };
}

export function parseEnviron(text: string): ReadonlyMap<string, string> {
  const environ = new Map<string, string>();
  for (const entry of text.split('\0')) {
    const at = entry.indexOf('=');
    if (at > 0) environ.set(entry.slice(0, at), entry.slice(at + 1));
  }
  return environ;
}

function toIdentity(pid: number, startTicks: number | undefined): ProcessIdentity {
  return { pid, startTicks, bootId: bootId() };
}

/** Where /proc shows nothing (macOS, hidepid): a zombie answers signal 0, so ps is asked too. */
function probe(pid: number): Exclude<Liveness, 'alive'> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') return 'dead';
  }
  if (readText('/proc/self/stat') !== undefined) return isListed(pid) ? 'unknown' : 'dead';
  const ps = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  if (ps.error !== undefined) return 'unknown';
  const state = ps.stdout.trim();
  return state === '' || state.startsWith('Z') ? 'dead' : 'unknown';
}

/** A reaped process vanishes between two looks; one that hidepid hides still answers. */
function isListed(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readStat(pid) === undefined;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

function isPid(name: string): boolean {
  return /^[1-9][0-9]*$/.test(name);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
