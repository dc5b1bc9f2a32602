import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median } from './measure.js';
import { type Figure, mb, ms, times } from './report.js';
import { BenchHome, RunningSupervisor, residentBytes } from './supervisor.js';

const COUNTS = [1, 10, 50] as const;
const ROUNDS = 3;
const WANTED_MB = 60;
const WANTED_MB_PER_CHILD = 0.2;
const WANTED_DELAY_MS = 50;
const MB = 1e6;

/** what a start leaves behind is collected by then */
const SETTLE_MS = 3000;
const SAMPLES = 5;

interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Memory with 1, 10 and 50 children that only sleep, and the loop's delay while they start. */
export async function measureChildren(): Promise<readonly Figure[]> {
  const bytes = new Map<number, number>();
  for (const count of COUNTS) bytes.set(count, await middleOf(() => memoryWith(count)));
  const bareBytes = await middleOf(bareNodeMemory);
  const delays: LoopDelay[] = [];
  for (let round = 0; round < ROUNDS; round++) delays.push(await delayWith(Math.max(...COUNTS)));
  return [...memoryFigures(bytes, bareBytes), delayFigure(delays)];
}

function memoryFigures(byCount: ReadonlyMap<number, number>, bareBytes: number): Figure[] {
  const bytesAt = (count: number): number => byCount.get(count) ?? Number.NaN;
  const perChildMb = (bytesAt(50) - bytesAt(1)) / 49 / MB;
  const counts = COUNTS.map((count) => `${count}: ${mb(bytesAt(count))}`).join(', ');
  const toBare = times(bytesAt(50) / bareBytes);
  return [
    {
      what: 'supervisor memory with 50 children',
      wanted: `≤ ${WANTED_MB} MB`,
      got: mb(bytesAt(50)),
      isMet: bytesAt(50) <= WANTED_MB * MB,
      from: `${counts}; ${toBare} of an idle Node (${mb(bareBytes)}); medians of ${ROUNDS}`,
    },
    {
      what: 'more memory per child',
      wanted: `< ${WANTED_MB_PER_CHILD} MB`,
      got: `${perChildMb.toFixed(3)} MB`,
      isMet: perChildMb < WANTED_MB_PER_CHILD,
      from: `slope from 1 to 50; 50 against 1: ${times(bytesAt(50) / bytesAt(1))}`,
    },
  ];
}

function delayFigure(delays: readonly LoopDelay[]): Figure {
  const p99Ms = median(delays.map((one) => one.p99Ms));
  const maxMs = median(delays.map((one) => one.maxMs));
  return {
    what: "p99 of the supervisor's loop delay while 50 start",
    wanted: `< ${WANTED_DELAY_MS} ms`,
    got: ms(p99Ms),
    isMet: p99Ms < WANTED_DELAY_MS,
    from: `longest ${ms(maxMs)}; from its first line until all are ready; medians of ${ROUNDS}`,
  };
}

async function middleOf(measure: () => Promise<number>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure());
  return median(rounds);
}

async function memoryWith(count: number): Promise<number> {
  return await withChildren(count, {}, settledMemory);
}

async function bareNodeMemory(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS / SAMPLES));
  const bytes = residentBytes(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return bytes;
}

async function delayWith(count: number): Promise<LoopDelay> {
  const probe = new LoopProbe();
  try {
    return await withChildren(count, probe.env, async () => probe.read());
  } finally {
    probe.remove();
  }
}

async function withChildren<Result>(
  count: number,
  env: NodeJS.ProcessEnv,
  measure: (supervisor: RunningSupervisor) => Promise<Result>,
): Promise<Result> {
  const profiles = Array.from({ length: count }, (_, index) => [
    `sleeper-${index + 1}`,
    'command: ["sleep", "1000000"]\nready: {started_seconds: 0.05}\n',
  ]);
  const home = new BenchHome(Object.fromEntries(profiles));
  const supervisor = new RunningSupervisor(home, env);
  try {
    await supervisor.allReady();
    return await measure(supervisor);
  } finally {
    await supervisor.stop();
    home.remove();
  }
}

async function settledMemory(supervisor: RunningSupervisor): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS / SAMPLES));
    samples.push(residentBytes(supervisor.pid));
  }
  return median(samples);
}

/**
 * Measures the loop from inside the supervisor, without a word of it in the product: a module
 * that Node loads first, and that only acts in the process that was told to.
 */
class LoopProbe {
  readonly #directory = mkdtempSync(join(tmpdir(), 'gwb-'));
  readonly #result = join(this.#directory, 'delay.json');

  get env(): NodeJS.ProcessEnv {
    const module = join(this.#directory, 'probe.mjs');
    writeFileSync(module, PROBE.replaceAll('RESULT', JSON.stringify(this.#result)));
    return { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` };
  }

  read(): LoopDelay {
    return JSON.parse(readFileSync(this.#result, 'utf8')) as LoopDelay;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const PROBE = `
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
const resolution = 2;
if (isMainThread && process.argv[2] === 'up') {
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  const late = (value) => Math.max(0, value / 1e6 - resolution);
  setInterval(() => {
    const result = { p99Ms: late(histogram.percentile(99)), maxMs: late(histogram.max) };
    writeFileSync(RESULT + '.new', JSON.stringify(result));
    renameSync(RESULT + '.new', RESULT);
  }, 100).unref();
}
`;
