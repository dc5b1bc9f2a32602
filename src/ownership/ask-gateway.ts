import type { Answer } from '../core/guard.js';
import { dialGateway } from './dial-gateway.js';

/** `late`: somebody listens there and has said nothing in time. */
export type Greeting = Answer | 'late';

/** A loop that is not stuck greets at once. */
const GREETING_MS = 1000;

/**
 * Asks a gateway for a sign of life on its local socket: a live one greets every connection.
 * A socket file that nobody serves is silence too: the process is there, its door is not.
 */
export function askGateway(socketPath: string, timeoutMs = GREETING_MS): Promise<Greeting> {
  return dialGateway(socketPath, { timeoutMs, hear: readGreeting });
}

/** The first line decides, whatever follows. */
function readGreeting(line: string): Answer {
  try {
    const { code } = JSON.parse(line) as { code?: unknown };
    if (code === 'draining') return 'draining';
    return code === 'welcome' ? 'serving' : 'silent';
  } catch {
    return 'silent';
  }
}
