import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { packageFile } from '../../src/core/package-root.js';
import { until } from './until.js';

export interface FixtureProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** lines of its stdout so far */
  readonly lines: readonly string[];
  says(line: string): Promise<void>;
  tell(line: string): void;
  kill(): Promise<void>;
}

interface Teardown {
  teardown(undo: () => void): void;
}

/** Runs a compiled program of test/fixtures; it is killed in teardown. */
export function startFixture(t: Teardown, name: string, args: readonly string[]): FixtureProcess {
  const program = packageFile('dist', 'test', 'fixtures', `${name}.js`);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stdin.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  t.teardown(() => child.kill('SIGKILL'));
  return {
    child,
    pid: child.pid ?? 0,
    lines,
    says: (line) => until(`${name} says ${line}`, () => lines.includes(line)),
    tell: (line) => child.stdin.write(`${line}\n`),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
