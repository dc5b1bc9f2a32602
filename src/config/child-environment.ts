import { statSync } from 'node:fs';
import type { Account } from '../core/account.js';
import { Secret } from '../core/secret.js';
import type { Environment } from './paths.js';

/**
 * What a child may inherit. A list of what is allowed, not of what is forbidden: a variable of
 * the parent (a port, a token of a sibling) must not become a setting of the child (C14).
 */
const INHERITED: ReadonlySet<string> = new Set([
  // to find programs and the account's files
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  // to speak the operator's language and time
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  // to reach the network as the host does
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  // so that `gatewarden` typed by an agent speaks to the supervisor of this home
  'GATEWARDEN_HOME',
]);

/** Names that speak of the account which the parent runs as. */
const OF_THE_ACCOUNT: ReadonlySet<string> = new Set([
  // root's leads into directories that are root's alone, and to what administers the host
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
]);

/** Names that carry the contract between us and a child: a profile cannot set them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'NOTIFY_SOCKET',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
  'GATEWARDEN_NOTIFY_FD',
  'GATEWARDEN_HOME',
  'GATEWARDEN_PROFILE',
  'GATEWARDEN_SCOPE',
  'GATEWARDEN_TURN',
  '__proto__',
]);

/** The environment of a profile's processes: what may be inherited, and the profile's own on top. */
export function childEnvironment(
  parentEnv: Environment,
  profileEnv: Readonly<Record<string, string | Secret>>,
  account?: Account,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parentEnv)) {
    if (value === undefined || !isInherited(name)) continue;
    if (account === undefined || !OF_THE_ACCOUNT.has(name)) env[name] = value;
  }
  if (account !== undefined) Object.assign(env, accountEnvironment(account));
  for (const [name, value] of Object.entries(profileEnv)) {
    env[name] = value instanceof Secret ? value.reveal() : value;
  }
  return env;
}

/** What login(1) gives to everybody but root. */
export const ACCOUNT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** What a login of the account would set. */
export function accountEnvironment({ home, name, uid }: Account): Record<string, string> {
  const runtimeDir = `/run/user/${uid}`;
  const own = { PATH: ACCOUNT_PATH, HOME: home, USER: name, LOGNAME: name };
  return isDirectoryOf(uid, runtimeDir) ? { ...own, XDG_RUNTIME_DIR: runtimeDir } : own;
}

/** So that a process that becomes another account forgets the first one. */
export const ACCOUNT_NAMES: readonly string[] = [...OF_THE_ACCOUNT];

function isDirectoryOf(uid: number, path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === uid;
}

/**
 * What a cluster worker must not inherit: node:cluster copies the whole environment of the
 * primary, so these names have to be passed as undefined.
 */
export function namesToUnset(parentEnv: Environment): string[] {
  return Object.keys(parentEnv).filter((name) => !isInherited(name));
}

function isInherited(name: string): boolean {
  return INHERITED.has(name) || name.startsWith('LC_');
}
