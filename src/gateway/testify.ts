import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { describeOwner, type Owner } from '../core/owner.js';
import { maskSecrets } from '../core/secret.js';
import { lookDeeply, witnessSignal } from '../forensics/index.js';
import { takeoverOf } from '../ownership/takeover-marker.js';
import { here, ownOwner } from '../store/place.js';
import type { GatewayLog } from './log.js';

/**
 * Writes down what can be known about a signal that ends us; the drain goes on meanwhile.
 * @returns who takes our place, when a marker says so
 */
export function testifyToSignal(
  signal: string,
  { home, profile, secrets, env, stateDir }: GatewayAssignment,
  log: GatewayLog,
): Owner | undefined {
  const witness = witnessSignal(signal, process.env, (text) => maskSecrets(text, secrets));
  const marker = join(stateDir, 'gateway.takeover.json');
  const takenOver = takeoverOf(marker, ownOwner(home, profile).identity);
  const by = takenOver && { takenOverBy: describeOwner(takenOver, here()) };
  log.warn('a signal asks for the end', { ...witness, ...by });
  lookDeeply({ directory: join(home, 'logs', profile), witness, path: env.PATH });
  return takenOver;
}
