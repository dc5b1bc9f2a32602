import { spawn } from 'node:child_process';

export interface Ran {
  /** undefined: it could not be started, or did not end in time */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** A tool of a service manager to its end; never a program that serves. */
export function runProgram(
  argv: readonly [string, ...string[]],
  { env, timeoutMs }: RunOptions,
): Promise<Ran> {
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    env: { ...(env ?? process.env), LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // spawn's own limit is not lifted where there is no such program: it kept us alive to its end
  const limit = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      clearTimeout(limit);
      resolve({ ...output, code: undefined, stderr: error.message });
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ ...output, code: code ?? undefined });
    });
  });
}
