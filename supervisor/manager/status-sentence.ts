import type { ProfileState } from '../../src/core/lifecycle.js';
import type { Desired } from '../../src/core/status.js';
import { toStatusLine } from '../../src/manager/index.js';

/** What the sentence needs of a profile; `ProfileView` has it. */
export interface SentenceProfile {
  readonly name: string;
  readonly desired: Desired;
  readonly state: ProfileState;
  readonly parked: { readonly reason: string; readonly detail: string } | undefined;
  readonly degradedBecause: string | undefined;
}

/** More troubles than this are counted, not told one by one. */
const TOLD_TROUBLES = 3;
const DETAIL_LENGTH = 60;

/** `2 of 3 profiles ready; coder parked: config (token missing)`: one line for `systemctl status`. */
export function statusSentence(
  profiles: readonly SentenceProfile[],
  { isLeaving, withheld }: { readonly isLeaving: boolean; readonly withheld: string | undefined },
): string {
  const wanted = profiles.filter((one) => one.desired === 'running');
  const parts = [isLeaving ? leaving(profiles) : counted(wanted)];
  const troubles = wanted.flatMap((one) => troubleOf(one) ?? []);
  if (!isLeaving) {
    parts.push(...troubles.slice(0, TOLD_TROUBLES));
    const more = troubles.length - TOLD_TROUBLES;
    if (more > 0) parts.push(`${more} more in trouble`);
  }
  if (withheld !== undefined) parts.push(`watchdog not fed: ${withheld}`);
  return toStatusLine(parts.join('; '));
}

function counted(wanted: readonly SentenceProfile[]): string {
  if (wanted.length === 0) return 'no profile is wanted';
  const ready = wanted.filter(({ state }) => state === 'ready' || state === 'served').length;
  return `${ready} of ${wanted.length} ${wanted.length === 1 ? 'profile' : 'profiles'} ready`;
}

function leaving(profiles: readonly SentenceProfile[]): string {
  const left = profiles.filter(({ state }) => state === 'draining' || state === 'starting');
  return left.length === 0
    ? 'stopping'
    : `stopping; waiting for ${left.map(({ name }) => name).join(', ')}`;
}

function troubleOf({ name, state, parked, degradedBecause }: SentenceProfile): string | undefined {
  switch (state) {
    case 'ready':
    case 'served':
      return undefined;
    case 'parked':
      return `${name} parked${parked === undefined ? '' : `: ${parked.reason} (${brief(parked.detail)})`}`;
    case 'degraded':
      return `${name} degraded${degradedBecause === undefined ? '' : ` (${brief(degradedBecause)})`}`;
    case 'backoff':
      return `${name} waits to be restarted`;
    case 'starting':
    case 'draining':
    case 'stopped':
      return `${name} ${state}`;
    default:
      return state satisfies never;
  }
}

function brief(detail: string): string {
  const flat = toStatusLine(detail);
  return flat.length <= DETAIL_LENGTH ? flat : `${flat.slice(0, DETAIL_LENGTH - 1)}…`;
}
