import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** what stands on stdin; without it stdin is empty */
  readonly input?: string;
}

/** Runs a program to its end, with the given environment and no other. */
export function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env, input = '' }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
