import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../../src/core/package-root.js';
import { type FromWatch, parseFromWatch } from '../../src/core/watch.js';
import type { Evidence } from '../../src/watchdog/thread/gather-evidence.js';
import type { WatchedLoopOrder } from '../fixtures/watched-loop/main.js';
import { until } from './until.js';

interface Teardown {
  teardown(action: () => unknown): unknown;
}

const PROGRAM = packageFile('dist', 'test', 'fixtures', 'watched-loop', 'main.js');

export interface WatchedLoop {
  readonly child: ChildProcess;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly output: () => string;
  readonly messages: () => readonly FromWatch[];
  readonly evidence: () => readonly Evidence[];
  watched(): Promise<void>;
}

/** A process whose loop is watched, in a process group of its own. */
export function startWatchedLoop(
  t: Teardown,
  order: Omit<WatchedLoopOrder, 'evidenceDir'>,
): WatchedLoop {
  const evidenceDir = mkdtempSync(join(tmpdir(), 'gw-evidence-'));
  t.teardown(() => rmSync(evidenceDir, { recursive: true, force: true }));
  // without the test runner's hooks
  const env = { ...process.env, NODE_OPTIONS: '' };
  const args = [PROGRAM, JSON.stringify({ ...order, evidenceDir })];
  const child = spawn(process.execPath, args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    child,
    exited,
    output: () => output,
    messages: () => output.split('\n').flatMap((line) => parseFromWatch(line) ?? []),
    evidence: () => readEvidence(evidenceDir),
    watched: () => until(`it is watched: ${output}`, () => output.includes('watched')),
  };
}

export function readEvidence(directory: string): Evidence[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
}
