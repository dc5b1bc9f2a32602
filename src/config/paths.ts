import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { GatewardenError } from '../core/errors.js';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

const HOME_HASH_LENGTH = 8;

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The home that a command works on: `--home`, GATEWARDEN_HOME unless it is empty, or ~/.gatewarden; absolute. */
export function resolveHome(flag: string | undefined, env: Environment): string {
  return resolve(flag ?? (env.GATEWARDEN_HOME || join(homedir(), '.gatewarden')));
}

/** The first 8 hex of sha256 of the home's path: tells two homes apart in short names. */
export function homeHash(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, HOME_HASH_LENGTH);
}

export interface HomeLayout {
  readonly home: string;
  readonly configFile: string;
  /** secrets of the host file itself; profiles have their own */
  readonly envFile: string;
  readonly profilesDir: string;
  readonly stateDir: string;
  readonly logsDir: string;
  readonly supervisorDb: string;
  readonly supervisorLock: string;
  /** hint for clients: pid, socket, TCP address; truth is the lock */
  readonly supervisorHint: string;
  readonly supervisorTakeover: string;
  /** who owns the home where a kernel's lock may not reach (docs/ownership.md) */
  readonly supervisorLease: string;
  /** how the supervisor's own life goes and ended */
  readonly ledger: string;
  /** the supervisor's own log directory; no profile name starts with an underscore */
  readonly supervisorLogDir: string;
}

/** Every path of a home (design §12). */
export function homeLayout(home: string): HomeLayout {
  const stateDir = join(home, 'state');
  const logsDir = join(home, 'logs');
  return {
    home,
    configFile: join(home, 'config.yaml'),
    envFile: join(home, '.env'),
    profilesDir: join(home, 'profiles'),
    stateDir,
    logsDir,
    supervisorDb: join(stateDir, 'supervisor.db'),
    supervisorLock: join(stateDir, 'supervisor.lock'),
    supervisorHint: join(stateDir, 'supervisor.json'),
    supervisorTakeover: join(stateDir, 'supervisor.takeover.json'),
    supervisorLease: join(stateDir, 'supervisor.lease'),
    ledger: join(stateDir, 'lifecycle.json'),
    supervisorLogDir: join(logsDir, '_supervisor'),
  };
}

export interface ProfileLayout {
  readonly directory: string;
  readonly configFile: string;
  readonly envFile: string;
  readonly stateDir: string;
  readonly stateDb: string;
  readonly gatewayLock: string;
  readonly gatewayHint: string;
  /** says who ends the present gateway to take its place */
  readonly takeoverMarker: string;
  readonly evidenceDir: string;
  /** how its gateway's life goes and ended */
  readonly ledger: string;
  readonly logDir: string;
}

export function profileLayout(home: string, profile: string): ProfileLayout {
  const directory = join(home, 'profiles', profile);
  const stateDir = join(directory, 'state');
  return {
    directory,
    configFile: join(directory, 'config.yaml'),
    envFile: join(directory, '.env'),
    stateDir,
    stateDb: join(stateDir, 'state.db'),
    gatewayLock: join(stateDir, 'gateway.lock'),
    gatewayHint: join(stateDir, 'gateway.json'),
    takeoverMarker: join(stateDir, 'gateway.takeover.json'),
    evidenceDir: evidenceDirIn(stateDir),
    ledger: join(stateDir, 'lifecycle.json'),
    logDir: join(home, 'logs', profile),
  };
}

/** Where watchdogs keep what they saw, of a profile or of the supervisor itself. */
export function evidenceDirIn(stateDir: string): string {
  return join(stateDir, 'evidence');
}

/**
 * Directories where sockets may live, best first: the user's runtime directory, /run for
 * root, a private directory in /tmp, the home itself. Short paths even for long homes.
 */
export function runtimeDirCandidates(home: string, env: Environment, uid: number): string[] {
  const leaf = join('gatewarden', homeHash(home));
  const candidates: string[] = [];
  const runtimeDir = env.XDG_RUNTIME_DIR;
  if (runtimeDir?.startsWith('/')) {
    candidates.push(join(runtimeDir, leaf));
  }
  if (uid === 0) candidates.push(join('/run', leaf));
  candidates.push(join('/tmp', `gatewarden-${uid}`, homeHash(home)), join(home, 'state'));
  return candidates;
}

export function controlSocketPath(runtimeDir: string): string {
  return checkedSocketPath(join(runtimeDir, '_control.sock'));
}

export function localSocketPath(runtimeDir: string, profile: string): string {
  return checkedSocketPath(join(runtimeDir, `${profile}.sock`));
}

/** @throws GatewardenError socket-path-too-long */
function checkedSocketPath(path: string): string {
  const length = Buffer.byteLength(path);
  if (length > MAX_SOCKET_PATH_BYTES) {
    throw new GatewardenError('socket-path-too-long', {
      max: String(MAX_SOCKET_PATH_BYTES),
      length: String(length),
      path,
    });
  }
  return path;
}
