import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
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
}

export function runAlone(
  t: Teardown,
  { home, profile, args = [], lockDir = join(home, 'locks') }: Alone,
): LoneGateway {
  const child = startCli(['--home', home, 'gateway', 'run', '-p', profile, ...args], {
    env: { XDG_RUNTIME_DIR: home, GATEWARDEN_GATEWAY_LOCK_DIR: lockDir },
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

/** Half-written files that nobody would ever finish or remove. */
export function leftHalfWritten(stateDir: string): string[] {
  return readdirSync(stateDir).filter((name) => name.endsWith('.tmp'));
}
