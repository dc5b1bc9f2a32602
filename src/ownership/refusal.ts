import { formatDuration } from '../core/durations.js';
import { GatewardenError } from '../core/errors.js';
import type { GuardDecision, RefusalReason } from '../core/guard.js';
import { describeOwner, type Owner } from '../core/owner.js';
import { here } from '../store/place.js';

export type Refusal = Extract<GuardDecision, { kind: 'refuse' }>;

export interface RefusalContext {
  readonly profile: string;
  /** the lock file that decides */
  readonly path: string;
  readonly waitedMs: number;
}

/** What is wrong with an owner that a wait did not cure. */
const HEALTH: Readonly<Record<RefusalReason, string>> = {
  served: 'serves it',
  'not-taken': 'does not serve it',
  'multiplexer-silent': 'is alive but does not say whom it serves',
  supervised: 'runs it',
  managed: 'is run by a unit of a service manager',
  running: 'serves',
  starting: 'is still starting',
  draining: 'is still draining',
  silent: 'is alive but does not answer',
  elsewhere: 'lives where this process can neither see nor end it',
};

/** A refusal in an operator's words: permanent ones exit with the code that nobody retries. */
export function refusalError(refusal: Refusal, context: RefusalContext): GatewardenError {
  const { because, by, permanence } = refusal;
  const { path, profile } = context;
  const owner = describeOwner(by, here());
  if (because === 'served') {
    const hint = hintFor(because, { profile, by });
    return new GatewardenError('profile-served', { profile, owner, hint });
  }
  if (because === 'not-taken') return new GatewardenError('profile-not-taken', { profile, owner });
  if (permanence === 'permanent') {
    return new GatewardenError('gateway-already-running', {
      profile,
      owner,
      path,
      hint: hintFor(because, { profile, by }),
    });
  }
  return new GatewardenError('owner-busy', {
    what: `profile ${profile} (${path})`,
    owner,
    health: HEALTH[because],
    waited: formatDuration(context.waitedMs),
    hint: hintFor(because, { profile, by }),
  });
}

function hintFor(
  because: RefusalReason,
  { by, profile }: { readonly profile: string; readonly by: Owner | undefined },
): string {
  const stop = `gatewarden stop ${profile}`;
  switch (because) {
    case 'supervised':
      return `the supervisor would start it again: use it (gatewarden restart ${profile}), or ${stop}`;
    case 'served':
      return `work on that one (gatewarden restart default), or take ${profile} out of gateway.multiplex_profile_allowlist, or run beside it with --force`;
    case 'managed':
      return 'the manager would start it again: use that one, or say --force too';
    case 'elsewhere':
      return `stop it where it runs (${by?.place?.hostName ?? 'the other container'})`;
    case 'starting':
    case 'draining':
      return 'try again when it is done';
    case 'silent':
    case 'multiplexer-silent':
      return `look at pid ${by?.identity.pid ?? 'unknown'} and its log; --replace ends it`;
    default:
      return by === undefined
        ? `stop that one first: ${stop}`
        : `stop that one first: ${stop}, or end pid ${by.identity.pid}`;
  }
}
