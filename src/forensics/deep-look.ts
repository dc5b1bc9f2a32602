import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from '../containment/launch/launch.js';
import type { SignalWitness } from './witness.js';

export const DIAGNOSIS_FILE = 'shutdown-diag.log';

/** A list of everything that hangs is no evidence any more (supervision.md 5.9). */
const LIMIT_SECONDS = 5;
/** Some fifty looks of a busy host; then it begins anew. */
const MAX_BYTES = 1024 * 1024;

/** In the tag's place: it is nobody's leftover and ends by itself. */
const TAG = 'gatewarden-diagnosis';

export interface DeepLook {
  readonly directory: string;
  readonly witness: SignalWitness;
  readonly path: string | undefined;
}

/**
 * The tree of processes at the moment of a signal, written by a detached process into
 * `shutdown-diag.log` while we go on. Nothing that goes wrong here delays or ends us.
 */
export function lookDeeply({ directory, witness, path = '' }: DeepLook): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, DIAGNOSIS_FILE);
    const fd = openSync(file, isTooLarge(file) ? 'w' : 'a', 0o600);
    try {
      writeSync(fd, `${JSON.stringify({ at: new Date().toISOString(), ...witness })}\n`);
      startLooking(fd, path);
    } finally {
      closeSync(fd);
    }
  } catch {
    // a full disk at the end of a life: the log line has the rest
  }
}

/** `comm`, not the whole command line: what stands there may hold somebody's secret. */
const COLUMNS = 'pid,ppid,pgid,sess,stat,etimes,pcpu,rss,comm';

function startLooking(fd: number, path: string): void {
  const timeout = ['timeout', '-s', 'KILL', String(LIMIT_SECONDS)] as const;
  const { child } = launch(
    {
      argv: [...timeout, 'ps', '-e', '-o', COLUMNS],
      cwd: '/',
      env: { PATH: path, LC_ALL: 'C' },
      stdio: ['ignore', fd, 'ignore'],
    },
    { tag: TAG, procsFile: undefined, dataBytes: undefined },
  );
  // a host without `timeout` or `ps` keeps the first line alone
  child.on('error', () => undefined);
  child.unref();
}

function isTooLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES;
}
