import type { Environment } from '../../config/paths.js';
import { GatewardenError, messageOf } from '../../core/errors.js';
import type { Reach } from '../control/reach.js';
import { pause } from '../interrupt.js';
import { ChatConnection } from './connection.js';
import { judgePlace } from './find-socket.js';

/** How long chat waits for a profile that is starting or restarting, and how often it asks. */
export const PATIENCE = Object.freeze({ patienceMs: 15_000, retryMs: 250 });

export interface OpenOptions {
  readonly profile: string;
  readonly home: string;
  readonly env: Environment;
  readonly patienceMs: number;
  readonly retryMs: number;
  readonly reach: () => Promise<Reach>;
  readonly onWaiting: (state: string) => void;
}

/**
 * Connects to a profile, waiting while it is on its way.
 * @throws GatewardenError no-supervisor, supervisor-silent, unknown-profile, no-chat, not-ready
 */
export async function openChat(options: OpenOptions): Promise<ChatConnection> {
  const deadlineMs = Date.now() + options.patienceMs;
  for (;;) {
    const attempt = await tryOpen(options);
    if (attempt.kind === 'open') return attempt.connection;
    if (attempt.kind === 'never' || Date.now() >= deadlineMs) throw attempt.error;
    options.onWaiting(attempt.state);
    await pause(options.retryMs);
  }
}

type Attempt =
  | { readonly kind: 'open'; readonly connection: ChatConnection }
  | { readonly kind: 'soon'; readonly state: string; readonly error: GatewardenError }
  | { readonly kind: 'never'; readonly error: GatewardenError };

async function tryOpen(options: OpenOptions): Promise<Attempt> {
  const found = await options.reach();
  const place = judgePlace(found, options.profile, options);
  if (place.kind !== 'at') return place;
  let failure: unknown;
  for (const path of place.paths) {
    try {
      return { kind: 'open', connection: await ChatConnection.open(path) };
    } catch (thrown) {
      failure = thrown;
    }
  }
  const error = new GatewardenError(
    'no-chat',
    {
      profile: options.profile,
      reason: messageOf(failure),
      hint: `look at: gatewarden status ${options.profile}`,
    },
    { cause: failure },
  );
  // between two generations the socket may be gone for a moment
  return found.kind === 'answers'
    ? { kind: 'soon', state: 'not listening', error }
    : { kind: 'never', error };
}
