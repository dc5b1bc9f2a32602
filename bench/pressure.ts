import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './report.js';
import { BenchHome, RunningSupervisor } from './supervisor.js';

const GATEWAYS = 10;
const HOGS_PER_CORE = 2;
const DEFAULT_SECONDS = 300;
/** so little that reading files makes the kernel take pages back; ten gateways need half of it */
const LEFT_BYTES = 1024 ** 3;
/** longer than what is left, so that no reading of it finds what the last one brought */
const FILE_BYTES = 4 * LEFT_BYTES;

const FILLED_WITHIN_MS = 180_000;

/** When the host has to kill somebody, it is a hog. */
const FIRST_TO_DIE = "require('node:fs').writeFileSync('/proc/self/oom_score_adj', '1000');";
const SPINS = 'for (;;);';
/** Touches every page of its share again and again. */
const TOUCHES = `${FIRST_TO_DIE}
  const parts = Array.from({ length: Math.floor(Number(process.argv[1]) / 2 ** 28) }, () => Buffer.alloc(2 ** 28, 1));
  for (let round = 0; ; round++)
    for (const pages of parts)
      for (let at = 0; at < pages.length; at += 4096) pages[at] = round & 255;`;
const READS = `${FIRST_TO_DIE}
  const { openSync, readSync } = require('node:fs');
  const file = openSync(process.argv[1], 'r');
  const part = Buffer.alloc(2 ** 20);
  for (let at = 0; ; ) at = readSync(file, part, 0, part.length, at) === 0 ? 0 : at + part.length;`;

/**
 * Ten gateways with the limits that people have, on a host that has no time and little memory for
 * them: none of them may be ended. `PRESSURE_SECONDS` makes it shorter.
 */
export async function measurePressure(): Promise<Figure> {
  const seconds = Number(process.env['PRESSURE_SECONDS'] ?? DEFAULT_SECONDS);
  const names = Array.from({ length: GATEWAYS }, (_, index) => `g${index}`);
  const home = new BenchHome(Object.fromEntries(names.map((name) => [name, '{}\n'])));
  const supervisor = new RunningSupervisor(home);
  const hogs: ChildProcess[] = [];
  try {
    await supervisor.allReady();
    hogs.push(...startMemoryHogs(home.directory));
    await untilFilled();
    hogs.push(...startBusyHogs());
    const before = memoryStallMs();
    await delay(seconds * 1000);
    const pressed = describeStall(memoryStallMs() - before, seconds);
    for (const hog of hogs.splice(0)) hog.kill('SIGKILL');
    const rows = (await supervisor.status())?.profiles ?? [];
    const ended = rows.filter(({ generation }) => generation !== 1).length;
    const well = rows.filter(({ state }) => state === 'ready').length;
    return {
      what: `gateways ended while ${GATEWAYS} of them share a starved host`,
      wanted: '0',
      got: String(ended),
      isMet: ended === 0 && rows.length === GATEWAYS,
      from: `${seconds} s, ${HOGS_PER_CORE} busy processes per core; ${pressed}; ready right after: ${well}`,
    };
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
    await supervisor.stop();
    home.remove();
  }
}

function startMemoryHogs(dir: string): ChildProcess[] {
  const file = join(dir, 'read-again-and-again');
  writeFileSync(file, '');
  truncateSync(file, FILE_BYTES);
  const cores = availableParallelism();
  const bytes = Math.max(0, availableBytes() - LEFT_BYTES) / cores;
  const touching = Array.from({ length: cores }, () => startHog(TOUCHES, String(bytes)));
  return [...touching, startHog(READS, file)];
}

function startBusyHogs(): ChildProcess[] {
  const hogs = availableParallelism() * HOGS_PER_CORE;
  return Array.from({ length: hogs }, () => startHog(SPINS));
}

function startHog(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['-e', program, ...args], { stdio: 'ignore' });
}

/** First touching so much takes long, longer still beside busy processes. */
async function untilFilled(): Promise<void> {
  const endsAt = performance.now() + FILLED_WITHIN_MS;
  while (availableBytes() > 1.5 * LEFT_BYTES && performance.now() < endsAt) await delay(100);
}

function availableBytes(): number {
  const kib = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  return Number(kib) * 1024;
}

/** For how long, since the boot, somebody on this host has waited for memory; NaN: not told. */
function memoryStallMs(): number {
  try {
    const some = /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/memory', 'utf8'));
    return Number(some?.[1]) / 1000;
  } catch {
    return Number.NaN;
  }
}

function describeStall(stallMs: number, seconds: number): string {
  if (Number.isNaN(stallMs)) return 'memory stalls are not told here';
  return `somebody waited for memory in ${((stallMs / seconds / 1000) * 100).toFixed(1)} % of the time`;
}
