import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../src/core/errors.js';
import type { Preflight } from '../systemd/judge-preflight.js';
import type { OneUnit } from '../unit-manager.js';

/** One slot has a pipe of its own, which may be the service's account's where the scan is root's. */
export function judgeReach(scanDirectory: string, one: OneUnit | undefined): Preflight {
  // s6-svstat needs no right to command
  if (one?.to === 'look') return READY;
  const scan = errnoOfWrite(join(scanDirectory, '.s6-svscan', 'control'));
  const own =
    one === undefined ? scan : errnoOfWrite(join(scanDirectory, one.name, 'supervise', 'control'));
  if (scan === undefined || own === undefined) return READY;
  const remedy = 'run it as the account that it belongs to, or as root';
  if (own === 'EACCES') {
    const what = one === undefined ? `the s6-svscan of ${scanDirectory}` : `slot ${one.name}`;
    return { kind: 'missing', because: `this account may not command ${what}`, remedy };
  }
  return {
    kind: 'missing',
    because: `no s6-svscan looks at ${scanDirectory}`,
    remedy: 'set S6_PROFILE_GATEWAY_SCANDIR to its scan directory',
  };
}

const READY: Preflight = { kind: 'ready', runtimeDir: undefined };

/** Undefined: it can be written to. */
function errnoOfWrite(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (thrown) {
    return errnoOf(thrown) ?? 'unknown';
  }
}
