import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.js';
import { packageFile } from '../../src/core/package-root.js';

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** what stands on stdin; without it stdin is empty */
  readonly input?: string | Buffer;
  /** descriptors of ours that it is to have too, by the number that it has them under */
  readonly descriptors?: ReadonlyMap<number, number>;
}

/** Starts the real binary as a person would. */
export function startCli(args: readonly string[], options: CliOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [packageFile('bin', 'gatewarden.js'), ...args], {
    env: environmentOf(options),
    stdio: stdioOf(options.descriptors),
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input ?? '');
  return child;
}

function stdioOf(
  descriptors: ReadonlyMap<number, number> = new Map(),
): ('pipe' | 'ignore' | number)[] {
  const length = Math.max(2, ...descriptors.keys()) + 1;
  return Array.from({ length }, (_, at) => (at < 3 ? 'pipe' : (descriptors.get(at) ?? 'ignore')));
}

/** The environment of a command line that inherits nothing but the programs of this machine. */
function environmentOf({ env }: CliOptions): Readonly<Record<string, string>> {
  const { PATH = '' } = process.env;
  return { PATH, HOME: '/nonexistent', ...env };
}

/** One command line to its end, in this process: what the binary does, without its boot. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const stdin = Readable.from([Buffer.from(options.input ?? '')]);
  const env = environmentOf(options);
  const code = await runCommandLine(args, { env, stdin, stdout, stderr });
  return { code, signal: null, stdout: stdout.text, stderr: stderr.text };
}

class Collected {
  text = '';
  write(part: string): boolean {
    this.text += part;
    return true;
  }
}

/** The same through the real binary. */
export function runBinary(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** The part of a tap test that cleans up. */
export interface Scope {
  teardown(done: () => unknown): void;
}

/** A home in /tmp, short enough for sockets, with an environment in which only it is found. */
export function scratchHome(t: Scope): {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
} {
  const root = mkdtempSync(join(tmpdir(), 'gw-cli-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  return { root, home, env: { GATEWARDEN_HOME: home, XDG_RUNTIME_DIR: root, HOME: root } };
}
