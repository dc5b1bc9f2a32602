import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { EvidenceKind, WatchOrder } from '../../core/watch.js';
import { describeFrame, describePlace, type Place } from '../describe-place.js';
import { type LoopDelay, summarizeDelays } from '../shared-counters.js';
import type { WatchedTurn } from './watched-turns.js';

export interface EvidenceFacts {
  readonly kind: EvidenceKind;
  readonly at: Date;
  readonly order: WatchOrder;
  readonly place: Place;
  readonly lateMs: number;
  readonly strikes: number;
  readonly delays: readonly number[];
  readonly turns: readonly WatchedTurn[];
  readonly fatal: boolean;
}

/** The file as it is written: where it is, how the process and the host are, what was open. */
export interface Evidence {
  readonly kind: EvidenceKind;
  readonly at: string;
  readonly profile: string | undefined;
  readonly generation: number;
  readonly pid: number;
  readonly node: string;
  readonly where: string;
  /** innermost first */
  readonly stack: readonly string[];
  readonly lateMs: number;
  readonly strikes: number;
  /** the process ended itself right after this */
  readonly fatal: boolean;
  readonly loopDelay: LoopDelay;
  readonly mainThread: Readonly<Record<string, string>>;
  readonly process: Readonly<Record<string, number>>;
  readonly host: Readonly<Record<string, unknown>>;
  readonly turns: readonly WatchedTurn[];
}

/** Bounds a file: turns beyond are counted by whoever reads the status. */
const MAX_TURNS = 50;

/** Numbers and names only: no environment, no arguments, no content of a message. */
export function gatherEvidence(facts: EvidenceFacts): Evidence {
  const { kind, at, order, place, lateMs, strikes, delays, turns, fatal } = facts;
  return {
    kind,
    at: at.toISOString(),
    profile: order.profile,
    generation: order.generation,
    pid: process.pid,
    node: process.version,
    where: describePlace(place),
    stack: place.kind === 'frames' ? place.frames.map(describeFrame) : [],
    lateMs: Math.round(lateMs),
    strikes,
    fatal,
    loopDelay: summarizeDelays(delays),
    mainThread: mainThreadFacts(),
    process: processFacts(),
    host: hostFacts(),
    turns: turns.slice(0, MAX_TURNS),
  };
}

/** What the kernel says of the thread that does not answer. */
function mainThreadFacts(): Record<string, string> {
  const status = read(`/proc/${process.pid}/task/${process.pid}/status`);
  const facts = {
    state: /^State:\s*(.*)$/m.exec(status)?.[1] ?? '',
    waitsIn: waitsIn() ?? '',
    switchesVoluntary: /^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? '',
    switchesForced: /^nonvoluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? '',
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
}

/** The kernel function in which the main thread sleeps; undefined when it does not, or is not told. */
export function waitsIn(): string | undefined {
  const name = read(`/proc/${process.pid}/task/${process.pid}/wchan`).trim();
  return name === '' || name === '0' ? undefined : name;
}

function processFacts(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  const usage = process.resourceUsage();
  return {
    uptimeMs: Math.round(process.uptime() * 1000),
    cpuUserMs: Math.round(user / 1000),
    cpuSystemMs: Math.round(system / 1000),
    rssBytes: process.memoryUsage.rss(),
    majorPageFaults: usage.majorPageFault,
    openFiles: countFiles(),
  };
}

function hostFacts(): Record<string, unknown> {
  const pressure = Object.fromEntries(
    ['cpu', 'memory', 'io'].map((name) => [name, read(`/proc/pressure/${name}`).trim()]),
  );
  const meminfo = read('/proc/meminfo');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(meminfo)?.[1]);
  return {
    load: loadavg().map((value) => Math.round(value * 100) / 100),
    cores: cpus().length,
    memoryAvailableKib: kib('MemAvailable') || 0,
    memoryTotalKib: kib('MemTotal') || 0,
    pressure,
  };
}

function countFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
