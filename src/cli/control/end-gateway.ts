import { profileLayout } from '../../config/paths.js';
import { errnoOf, GatewardenError } from '../../core/errors.js';
import { isAlive, readOwner } from '../../store/index.js';
import { pause } from '../interrupt.js';
import { ancestors } from './process-facts.js';

/** After SIGKILL (supervision.md 4.7); after SIGTERM its own budget counts (field case D14). */
const KILL_WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

export interface EndOrder {
  readonly profile: string;
  readonly home: string;
  /** how long its stop may take by its budgets */
  readonly termWaitMs: number;
  readonly notice: (line: string) => void;
}

/**
 * Ends the owner of one profile's lock, and only that one: its record must name this profile
 * and this home, and its pid must still be the same process.
 * @throws GatewardenError gateway-already-running when it cannot be ended, or is our own parent
 */
export async function endGateway({ profile, home, termWaitMs, notice }: EndOrder): Promise<void> {
  const { gatewayLock } = profileLayout(home, profile);
  const owner = readOwner(gatewayLock);
  if (owner === undefined || owner.home !== home || owner.profile !== profile) return;
  const { identity } = owner;
  const refusal = new GatewardenError('gateway-already-running', {
    profile,
    pid: String(identity.pid),
    path: gatewayLock,
  });
  if (ancestors(process.pid).includes(identity.pid)) throw refusal;
  for (const [signal, waitMs] of [
    ['SIGTERM', termWaitMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (!isAlive(identity)) return;
    notice(`${profile}: ending the gateway that serves it now (pid ${identity.pid}, ${signal})`);
    sendSignal(identity.pid, signal);
    const deadlineMs = Date.now() + waitMs;
    while (isAlive(identity) && Date.now() < deadlineMs) await pause(LOOK_EVERY_MS);
  }
  if (isAlive(identity)) throw refusal;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    // it has gone between the look and the signal
    if (errnoOf(thrown) !== 'ESRCH') throw thrown;
  }
}
