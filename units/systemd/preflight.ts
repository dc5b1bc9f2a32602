import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../src/config/paths.js';
import { runProgram } from '../run-program.js';
import type { Account } from '../service.js';
import {
  judgePreflight,
  type Preflight,
  type PreflightFacts,
  type RuntimeDirectory,
  type UserFacts,
} from './judge-preflight.js';
import type { SystemdScope } from './policy.js';

/** loginctl starts a whole user manager */
const LINGER_TIMEOUT_MS = 30_000;
/** how long that manager may take to open its socket; shorter where it should be there already */
const SOCKET_WAIT_MS = 5000;
const SOCKET_WAIT_LINGERING_MS = 3000;
const LOOK_EVERY_MS = 100;

/** Looks, and where only linger is missing tries that, which an account may do for itself. */
export async function preflight(
  scope: SystemdScope,
  owner: Account,
  env: Environment,
): Promise<Preflight> {
  const look = () => gatherFacts(scope, owner, env);
  const first = judgePreflight(look(), false);
  if (first.kind !== 'try-linger') return first;
  const wasLingering = isLingering(owner.name) === true;
  if (!wasLingering) await enableLinger(owner.name);
  const deadline = Date.now() + (wasLingering ? SOCKET_WAIT_LINGERING_MS : SOCKET_WAIT_MS);
  for (;;) {
    const next = judgePreflight(look(), true);
    if (next.kind !== 'missing' || Date.now() >= deadline) return next;
    await sleep(LOOK_EVERY_MS);
  }
}

/** @returns whether it is on now; a refusal is for the caller to tell */
export async function enableLinger(name: string): Promise<boolean> {
  const argv = ['loginctl', '--no-ask-password', 'enable-linger', name] as const;
  const { code } = await runProgram([...argv], { timeoutMs: LINGER_TIMEOUT_MS });
  return code === 0;
}

export function isLingering(name: string): boolean | undefined {
  if (!existsSync('/var/lib/systemd')) return undefined;
  return existsSync(join('/var/lib/systemd/linger', name));
}

function gatherFacts(scope: SystemdScope, owner: Account, env: Environment): PreflightFacts {
  return {
    platform: process.platform,
    isBooted: existsSync('/run/systemd/system'),
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    user: scope === 'user' ? userFacts(owner, env) : undefined,
  };
}

function userFacts({ name, uid }: Account, env: Environment): UserFacts {
  const set = env.XDG_RUNTIME_DIR;
  return {
    name,
    uid,
    set: set?.startsWith('/') ? lookAt(set, uid) : undefined,
    usual: lookAt(`/run/user/${uid}`, uid),
    isLingering: isLingering(name),
  };
}

function lookAt(path: string, uid: number): RuntimeDirectory {
  const stats = statSync(path, { throwIfNoEntry: false });
  return {
    path,
    isOurs: stats?.isDirectory() === true && stats.uid === uid,
    hasManager: ['bus', 'systemd/private'].some((name) => canOpen(join(path, name))),
  };
}

/** One that we may not open is as good as none. */
function canOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
