import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median } from './measure.js';
import { type Figure, mb, ms } from './report.js';
import { BenchHome, RunningSupervisor } from './supervisor.js';

const COUNTS = [1, 10, 50] as const;
const ROUNDS = 3;
const WANTED_MB = 60;
const WANTED_MB_PER_CHILD = 0.2;
const WANTED_DELAY_MS = 50;
const MB = 1e6;

/** what a start leaves behind is collected by then */
const SETTLE_MS = 3000;
const SAMPLES = 5;

interface Measured {
  readonly residentBytes: number;
  readonly delay: LoopDelay;
}

interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Memory with 1, 10 and 50 children that only sleep, and the loop's delay while they start. */
export async function measureChildren(): Promise<readonly Figure[]> {
  const byCount = new Map<number, { bytes: number; p99Ms: number; maxMs: number }>();
  for (const count of COUNTS) {
    const rounds: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await withChildren(count));
    byCount.set(count, {
      bytes: median(rounds.map((one) => one.residentBytes)),
      p99Ms: median(rounds.map((one) => one.delay.p99Ms)),
      maxMs: median(rounds.map((one) => one.delay.maxMs)),
    });
  }
  return figuresOf(byCount);
}

function figuresOf(
  byCount: ReadonlyMap<number, { bytes: number; p99Ms: number; maxMs: number }>,
): readonly Figure[] {
  const bytesAt = (count: number): number => byCount.get(count)?.bytes ?? Number.NaN;
  const perChildMb = (bytesAt(50) - bytesAt(1)) / 49 / MB;
  const delay = byCount.get(50) ?? { p99Ms: Number.NaN, maxMs: Number.NaN };
  return [
    {
      what: 'supervisor memory with 50 children',
      wanted: `≤ ${WANTED_MB} MB`,
      got: mb(bytesAt(50)),
      isMet: bytesAt(50) <= WANTED_MB * MB,
      from:
        `1: ${mb(bytesAt(1))}, 10: ${mb(bytesAt(10))}, 50: ${mb(bytesAt(50))}; ` +
        `50 against 1: ${(bytesAt(50) / bytesAt(1)).toFixed(2)}×; medians of ${ROUNDS}`,
    },
    {
      what: 'more memory per child',
      wanted: `< ${WANTED_MB_PER_CHILD} MB`,
      got: `${perChildMb.toFixed(3)} MB`,
      isMet: perChildMb < WANTED_MB_PER_CHILD,
      from: 'slope from 1 to 50 children',
    },
    {
      what: "p99 of the supervisor's loop delay while 50 start",
      wanted: `< ${WANTED_DELAY_MS} ms`,
      got: ms(delay.p99Ms),
      isMet: delay.p99Ms < WANTED_DELAY_MS,
      from: `longest ${ms(delay.maxMs)}; sampled in the supervisor until all are ready`,
    },
  ];
}

async function withChildren(count: number): Promise<Measured> {
  const profiles = Array.from({ length: count }, (_, index) => [
    `sleeper-${index + 1}`,
    'command: ["sleep", "1000000"]\nready: {started_seconds: 0.05}\n',
  ]);
  const home = new BenchHome(Object.fromEntries(profiles));
  const probe = new LoopProbe();
  const supervisor = new RunningSupervisor(home, probe.env);
  try {
    await supervisor.allReady();
    const delay = probe.read();
    const residentBytes = await settledMemory(supervisor);
    return { residentBytes, delay };
  } finally {
    await supervisor.stop();
    home.remove();
    probe.remove();
  }
}

async function settledMemory(supervisor: RunningSupervisor): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS / SAMPLES));
    samples.push(supervisor.residentBytes());
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
