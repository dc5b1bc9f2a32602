import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';
import { reach } from '../../src/cli/control/reach.js';
import { homeHash } from '../../src/config/paths.js';
import { readScope, scanProcesses } from '../../src/containment/index.js';
import type { ProfileStatus, StatusReport } from '../../src/core/status.js';
import { type CliOptions, type CliResult, runCli, startCli } from './run-cli.js';
import { type Patience, until } from './until.js';

/** A supervisor started as a person would, through the real binary. */
export interface Up {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** resolves with the exit code */
  readonly exited: Promise<number | null>;
}

export async function up(t: Test, home: string, args: readonly string[] = []): Promise<Up> {
  return upIn(t, home, { args });
}

export async function upIn(
  t: Test,
  home: string,
  { args = [], ...options }: { readonly args?: readonly string[] } & CliOptions,
): Promise<Up> {
  const child = startCli(['--home', home, 'up', ...args], options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    // two at once would be one: the kernel does not count pending signals
    const impatience = setInterval(() => child.kill('SIGTERM'), 200);
    child.kill('SIGTERM');
    await exited;
    clearInterval(impatience);
    await untilNothingIsLeft(home);
  });
  return { child, pid: child.pid ?? 0, stdout: () => stdout, stderr: () => stderr, exited };
}

export async function cli(home: string, ...args: string[]): Promise<CliResult> {
  return await runCli(['--home', home, ...args]);
}

/** The status over the control socket, as the command line asks for it; undefined when nobody answers. */
export async function statusOf(home: string): Promise<StatusReport | undefined> {
  const found = await reach(home, {});
  return found.kind === 'answers' ? found.report : undefined;
}

export function rowOf(report: StatusReport | undefined, name: string): ProfileStatus | undefined {
  return report?.profiles.find((profile) => profile.name === name);
}

/** Waits until the status shows what the condition wants; returns that status. */
export async function untilStatus(
  home: string,
  what: string,
  condition: (report: StatusReport) => boolean,
  patience: Patience = {},
): Promise<StatusReport> {
  let last: StatusReport | undefined;
  const holds = async () => {
    last = await statusOf(home);
    return last !== undefined && condition(last);
  };
  await until(what, holds, { everyMs: 50, ...patience });
  if (last === undefined) throw new Error('no status');
  return last;
}

/** Living processes that carry this home's tag. */
export function processesOf(home: string): number[] {
  const prefix = `${homeHash(home)}:`;
  return scanProcesses()
    .filter(({ pid }) => readScope(pid)?.startsWith(prefix) === true)
    .map(({ pid }) => pid);
}

export async function untilNothingIsLeft(home: string): Promise<void> {
  await until('no process of the home is left', () => processesOf(home).length === 0, {
    everyMs: 200,
  });
}
