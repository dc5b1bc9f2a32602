import { join } from 'node:path';
import type { GatewayAssignment } from '../core/assignment.js';
import { maskSecrets } from '../core/secret.js';
import { lookDeeply, witnessSignal } from '../forensics/index.js';
import type { GatewayLog } from './log.js';

/** Writes down what can be known about a signal that ends us; the drain goes on meanwhile. */
export function testifyToSignal(
  signal: string,
  { home, profile, secrets, env }: GatewayAssignment,
  log: GatewayLog,
): void {
  const witness = witnessSignal(signal, process.env, (text) => maskSecrets(text, secrets));
  log.warn('a signal asks for the end', { ...witness });
  lookDeeply({ directory: join(home, 'logs', profile), witness, path: env.PATH });
}
