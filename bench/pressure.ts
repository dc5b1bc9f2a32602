import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './report.js';
import { BenchHome, RunningSupervisor } from './supervisor.js';

const GATEWAYS = 10;
const HOGS_PER_CORE = 2;
/** never so much that the host itself has to kill somebody */
const MAX_MEMORY_BYTES = 2 * 1024 ** 3;
const MEMORY_SHARE = 0.5;
const DEFAULT_SECONDS = 300;

const SPINS = 'for (;;);';
/** Touches every page of its share again and again. */
const TOUCHES = `
  const pages = Buffer.alloc(Number(process.argv[1]), 1);
  for (let round = 0; ; round++)
    for (let at = 0; at < pages.length; at += 4096) pages[at] = round & 255;`;

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
    hogs.push(...startHogs());
    await delay(seconds * 1000);
    for (const hog of hogs.splice(0)) hog.kill('SIGKILL');
    const rows = (await supervisor.status())?.profiles ?? [];
    const ended = rows.filter(({ generation }) => generation !== 1).length;
    const well = rows.filter(({ state }) => state === 'ready').length;
    return {
      what: `gateways ended while ${GATEWAYS} of them share a starved host`,
      wanted: '0',
      got: String(ended),
      isMet: ended === 0 && rows.length === GATEWAYS,
      from: `${seconds} s, ${HOGS_PER_CORE} busy processes per core; ready right after: ${well}`,
    };
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
    await supervisor.stop();
    home.remove();
  }
}

function startHogs(): ChildProcess[] {
  const bytes = Math.floor(Math.min(MAX_MEMORY_BYTES, freemem() * MEMORY_SHARE));
  const spins = Array.from({ length: availableParallelism() * HOGS_PER_CORE }, () => [SPINS]);
  return [...spins, [TOUCHES, String(bytes)]].map((args) =>
    spawn(process.execPath, ['-e', ...args], { stdio: 'ignore' }),
  );
}
