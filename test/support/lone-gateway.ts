import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCli } from './run-cli.js';
import { until } from './until.js';

export interface LoneGateway {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly isReady: () => boolean;
  readonly output: () => string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

interface Teardown {
  teardown(undo: () => unknown): unknown;
}

/** `gatewarden gateway run -p one` as a person would start it; killed in teardown. */
export function runLone(t: Teardown, home: string, args: readonly string[] = []): LoneGateway {
  return runAlone(t, { home, profile: 'one', args });
}

export interface Alone {
  readonly home: string;
  readonly profile: string;
  readonly args?: readonly string[];
  /** where accounts of platforms are claimed; default: in the home, so that tests never meet */
  readonly lockDir?: string;
  /** the socket of a manager that waits for its news */
  readonly notify?: string;
}

export function runAlone(
  t: Teardown,
  { home, profile, args = [], lockDir = join(home, 'locks'), notify = '' }: Alone,
): LoneGateway {
  const child = startCli(['--home', home, 'gateway', 'run', '-p', profile, ...args], {
    env: { XDG_RUNTIME_DIR: home, GATEWARDEN_GATEWAY_LOCK_DIR: lockDir, NOTIFY_SOCKET: notify },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  t.teardown(() => child.kill('SIGKILL'));
  return {
    child,
    pid: child.pid ?? 0,
    isReady: () => output.includes(`${profile} is ready`),
    output: () => output,
    exited: once(child, 'exit').then(([code, signal]) => ({ code, signal })),
  };
}

export async function untilReady(gateway: LoneGateway): Promise<void> {
  const settled = () => gateway.isReady() || gateway.child.exitCode !== null;
  await until('the gateway is ready', settled);
  if (!gateway.isReady()) throw new Error(`it ended instead: ${gateway.output()}`);
}

/** What a kill left half-written its successor removes; other drafts are being written. */
export async function untilNoDrafts(stateDir: string): Promise<void> {
  const drafts = () => readdirSync(stateDir).filter((name) => name.endsWith('.tmp'));
  await until('no draft is left', () => drafts().length === 0).catch(() => {
    throw new Error(`drafts that nobody finishes or removes: ${drafts().join(' ')}`);
  });
}

/** As a kill would at the worst moment: a draft of each file that is there, by a dead process. */
export function plantDrafts(stateDir: string): string[] {
  const names = readdirSync(stateDir).filter((name) => /^[^.].*\.json$/.test(name));
  const drafts = names.map((name) => `.${name}.${NEVER_A_PID}.0badcafe.tmp`);
  for (const name of drafts) writeFileSync(join(stateDir, name), '{');
  return drafts;
}

/** beyond the highest that Linux gives out */
const NEVER_A_PID = 4_194_305;
