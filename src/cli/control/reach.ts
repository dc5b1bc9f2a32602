import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  controlSocketPath,
  type Environment,
  homeLayout,
  runtimeDirCandidates,
} from '../../config/paths.js';
import { formatDuration } from '../../core/durations.js';
import { errnoOf, GatewardenError } from '../../core/errors.js';
import type { StatusReport } from '../../core/status.js';
import { isSameHome } from '../../ownership/same-home.js';
import { ControlClient } from './client.js';
import { readHint, type SupervisorHint } from './hint.js';
import { NoSupervisorError, type StartFacts } from './no-supervisor.js';
import { mayBeAlive } from './process-facts.js';
import { SilenceError } from './silence.js';

/** Whether a supervisor answers for a home, and what else is known when none does. */
export type Reach =
  | { readonly kind: 'answers'; readonly client: ControlClient; readonly report: StatusReport }
  /** a process is there but does not answer */
  | { readonly kind: 'silent'; readonly pid: number | undefined; readonly waitedMs: number }
  | { readonly kind: 'none'; readonly hint: SupervisorHint | undefined };

/** Asks for the status wherever the control socket may be. */
export async function reach(home: string, env: Environment, timeoutMs?: number): Promise<Reach> {
  const hint = hintOf(home);
  for (const socketPath of socketCandidates(home, env, hint)) {
    const client = new ControlClient(socketPath, timeoutMs);
    try {
      return { kind: 'answers', client, report: await client.status() };
    } catch (thrown) {
      if (thrown instanceof SilenceError) {
        return { kind: 'silent', pid: alivePid(hint), waitedMs: thrown.waitedMs };
      }
      if (!isNobodyThere(thrown)) throw thrown;
    }
  }
  const pid = alivePid(hint);
  if (pid === undefined) requireAccess(home);
  return pid === undefined ? { kind: 'none', hint } : { kind: 'silent', pid, waitedMs: 0 };
}

/** One that came with a copy of another home leads to that one's supervisor, who is not ours. */
export function hintOf(home: string): SupervisorHint | undefined {
  const hint = readHint(homeLayout(home).supervisorHint);
  return hint?.home === undefined || isSameHome(hint.home, home) ? hint : undefined;
}

/** Whether one runs in a home of somebody else cannot be known. @throws the system's error */
function requireAccess(home: string): void {
  try {
    accessSync(home, constants.R_OK | constants.X_OK);
  } catch (thrown) {
    if (errnoOf(thrown) === 'EACCES') throw thrown;
  }
}

/** The supervisor of this home. @throws GatewardenError no-supervisor, supervisor-silent */
export async function reachOrFail(
  home: string,
  env: Environment,
): Promise<Extract<Reach, { kind: 'answers' }>> {
  const found = await reach(home, env);
  if (found.kind === 'answers') return found;
  const { seenSubjects } = await import('../units/own-units.js');
  throw unreachable(found, home, await seenSubjects(home, env));
}

export function unreachable(
  found: Exclude<Reach, { kind: 'answers' }>,
  home: string,
  units: StartFacts['units'] = [],
): GatewardenError {
  if (found.kind === 'none') return new NoSupervisorError(home, units);
  return new GatewardenError('supervisor-silent', {
    pid: found.pid === undefined ? 'unknown' : String(found.pid),
    waited: formatDuration(found.waitedMs),
    log: homeLayout(home).supervisorLogDir,
  });
}

/** The system's words for a socket that nobody serves. */
export function isNobodyThere(thrown: unknown): boolean {
  const errno = errnoOf(thrown);
  return (
    errno === 'ENOENT' ||
    errno === 'ECONNREFUSED' ||
    errno === 'ENOTSOCK' ||
    errno === 'ECONNRESET' ||
    errno === 'EPIPE'
  );
}

/** Where the control socket may be, the likeliest first; only sockets of people we trust. */
export function socketCandidates(
  home: string,
  env: Environment,
  hint: SupervisorHint | undefined,
): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const guesses = runtimeDirCandidates(home, env, uid).flatMap((directory) => {
    try {
      return [controlSocketPath(directory)];
    } catch {
      // too long to exist
      return [];
    }
  });
  const paths = hint?.socket === undefined ? guesses : [hint.socket, ...guesses];
  const trusted = trustedUids(home, uid);
  return [...new Set(paths)].filter((path) => isSocketOf(path, trusted));
}

/** /tmp is open to everybody: a socket that a stranger put there must not be believed. */
function trustedUids(home: string, uid: number): ReadonlySet<number> {
  const trusted = new Set([uid, 0]);
  try {
    trusted.add(statSync(join(home, 'state')).uid);
  } catch {
    // no state directory: nobody else to trust
  }
  return trusted;
}

function isSocketOf(path: string, trusted: ReadonlySet<number>): boolean {
  try {
    const stats = statSync(path);
    return stats.isSocket() && trusted.has(stats.uid);
  } catch {
    return false;
  }
}

function alivePid(hint: SupervisorHint | undefined): number | undefined {
  return hint !== undefined && mayBeAlive(hint) ? hint.pid : undefined;
}
