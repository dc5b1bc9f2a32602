import { formatDuration } from '../core/durations.js';
import { GatewardenError } from '../core/errors.js';
import type { GuardDecision, GuardFacts, RefusalReason } from '../core/guard.js';
import { describeOwner, type Owner } from '../core/owner.js';
import { type Remedy, remediesOf } from '../core/remedies.js';
import { here } from '../store/place.js';

export type Refusal = Extract<GuardDecision, { kind: 'refuse' }>;

export interface RefusalContext {
  readonly profile: string;
  /** the lock file that decides */
  readonly path: string;
  readonly waitedMs: number;
  /** what was refused: it tells what would help */
  readonly facts: GuardFacts;
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
  const { path, profile, waitedMs } = context;
  const owner = describeOwner(by, here());
  const hint = hintFor(refusal, context);
  if (because === 'served') return new GatewardenError('profile-served', { profile, owner, hint });
  if (because === 'not-taken') {
    return new GatewardenError('profile-not-taken', { profile, owner, hint });
  }
  if (permanence === 'permanent') {
    return new GatewardenError('gateway-already-running', { profile, owner, path, hint });
  }
  return new GatewardenError('owner-busy', {
    what: `profile ${profile} (${path})`,
    owner,
    health: HEALTH[because],
    waited: formatDuration(waitedMs),
    hint,
  });
}

/** One that was ended, and lives: no flag helps any more. */
export function unendedError(
  target: Owner,
  { path, profile, waitedMs }: Omit<RefusalContext, 'facts'>,
): GatewardenError {
  return new GatewardenError('owner-busy', {
    what: `profile ${profile} (${path})`,
    owner: describeOwner(target, here()),
    health: 'could not be ended',
    waited: formatDuration(waitedMs),
    hint: `end pid ${target.identity.pid} as the account that it runs as, or as root`,
  });
}

/** What comes before the remedies, where there is more to say than what helps. */
const LEADS: Readonly<Partial<Record<RefusalReason, string>>> = {
  served: 'use that one, or ',
  'not-taken': 'its log tells why; ',
  supervised: 'the supervisor would start it again: use that, or ',
  managed: 'its manager would start it again: use that, or ',
};

function hintFor(refusal: Refusal, context: RefusalContext): string {
  const { facts, profile } = context;
  // a supervisor that is refused for good parks the profile
  const isParked =
    refusal.permanence === 'permanent' &&
    (facts.action === 'supervise' || facts.flags.supervisedChild);
  const then = isParked ? `, then: gatewarden start ${profile}` : '';
  return `${LEADS[refusal.because] ?? ''}${tellRemedies(facts, context)}${then}`;
}

type Words = Pick<RefusalContext, 'path'> & { readonly profile?: string };

/** What helps, all of it tried on the guard; for `up` too. */
export function tellRemedies(facts: GuardFacts, words: Words): string {
  return remediesOf(facts)
    .map((cures) => cures.map((remedy) => tellRemedy(remedy, facts, words)).join(', and '))
    .join(', or ');
}

function tellRemedy(remedy: Remedy, facts: GuardFacts, { path, profile }: Words): string {
  switch (remedy) {
    case 'wait':
      return 'try again when it is done';
    case 'wait-for-host':
      return 'try again when that is ready';
    case 'stop':
      return `end it with: gatewarden stop ${profile}`;
    case 'take-out': {
      const out = `keep ${profile} out of gateway.multiplex_profile_allowlist`;
      const reload = `: gatewarden reload, and: gatewarden stop ${profile}`;
      return facts.supervisor === undefined ? out : `${out}, then${reload}`;
    }
    case 'replace':
      return `take over with${facts.action === 'up' ? ': gatewarden up' : ''} --replace`;
    case 'force':
      return 'run beside it with --force';
    case 'end-owner':
      return tellEnd(facts, path);
    case 'replace-force':
      return 'take over with --replace --force';
    case 'replace-from-outside':
      return 'take over with --replace, from outside of that process';
    case 'end-host':
      return `end the gateway of default (pid ${facts.multiplexer?.owner?.identity.pid ?? 'unknown'})`;
    default:
      return remedy satisfies never;
  }
}

function tellEnd({ managedBy, own }: GuardFacts, path: string): string {
  const owner = own?.owner;
  if (own?.liveness === 'elsewhere') {
    return `stop it where it runs (${owner?.place?.hostName ?? 'the other container'})`;
  }
  if (managedBy !== undefined) return `end its unit: ${managedBy.stopWith}`;
  if (owner === undefined) return `end the process that holds ${path} (fuser ${path} names it)`;
  return `end pid ${owner.identity.pid}`;
}
