import { existsSync } from 'node:fs';
import { type Environment, localSocketPath, runtimeDirCandidates } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import type { ProfileStatus, StatusReport } from '../../core/status.js';
import { type Reach, unreachable } from '../control/reach.js';
import { unknownProfile } from '../unknown-profile.js';

/** Whether a profile can be talked to right now. */
export type ChatPlace =
  | { readonly kind: 'at'; readonly paths: readonly [string, ...string[]] }
  /** it is on its way: ask again soon */
  | { readonly kind: 'soon'; readonly state: string; readonly error: GatewardenError }
  | { readonly kind: 'never'; readonly error: GatewardenError };

const UNIX_PREFIX = 'unix:';

/** Decides from what the supervisor said, or from the paths where a gateway would listen. */
export function judgePlace(
  found: Reach,
  profile: string,
  where: { readonly home: string; readonly env: Environment },
): ChatPlace {
  if (found.kind === 'answers') {
    const status = found.report.profiles.find((one) => one.name === profile);
    return status === undefined
      ? {
          kind: 'never',
          error: unknownProfile(
            profile,
            where.home,
            found.report.profiles.map(({ name }) => name),
          ),
        }
      : judgeProfile(status);
  }
  // a gateway without a supervisor (`gateway run`) listens at one of these
  const [first, ...others] = guessedSockets(profile, where);
  if (first !== undefined) return { kind: 'at', paths: [first, ...others] };
  return { kind: 'never', error: unreachable(found, where.home) };
}

/** `default` when it exists, else the only profile there is. */
export function chooseChatProfile(
  named: string | undefined,
  report: StatusReport | undefined,
): string {
  if (named !== undefined) return named;
  const names = report?.profiles.map((profile) => profile.name) ?? [];
  const [only] = names;
  return names.length === 1 && only !== undefined ? only : DEFAULT_PROFILE;
}

function judgeProfile(status: ProfileStatus): ChatPlace {
  const path = localSocketOf(status);
  const { name, state } = status;
  switch (state) {
    case 'ready':
    case 'degraded':
    case 'served':
      if (path !== undefined) return { kind: 'at', paths: [path] };
      return {
        kind: 'never',
        error:
          status.kind === 'command'
            ? noChat(name, 'it is a command: profile, which has no local platform', '')
            : noChat(name, 'its local platform is off', 'set platforms.local.enabled: true'),
      };
    case 'starting':
    case 'draining':
    case 'backoff':
      return {
        kind: 'soon',
        state,
        error: new GatewardenError('not-ready', { profile: name, wanted: 'ready', state }),
      };
    case 'parked':
      return {
        kind: 'never',
        error: noChat(name, `it is parked: ${status.parked?.detail ?? ''}`, status.parked?.remedy),
      };
    case 'stopped':
      return {
        kind: 'never',
        error: noChat(name, 'it is stopped', `start it with: gatewarden start ${name}`),
      };
    default:
      return state satisfies never;
  }
}

/** Among the addresses where a profile is reached, the one of its local platform. */
export function localSocketOf({ listen }: ProfileStatus): string | undefined {
  for (const address of listen) {
    if (address.startsWith(UNIX_PREFIX)) return address.slice(UNIX_PREFIX.length);
    if (address.startsWith('/')) return address;
  }
  return undefined;
}

function guessedSockets(
  profile: string,
  { home, env }: { readonly home: string; readonly env: Environment },
): readonly string[] {
  return runtimeDirCandidates(home, env, process.getuid?.() ?? 0)
    .flatMap((directory) => {
      try {
        return [localSocketPath(directory, profile)];
      } catch {
        // too long to exist
        return [];
      }
    })
    .filter((path) => existsSync(path));
}

function noChat(profile: string, reason: string, hint: string | undefined): GatewardenError {
  return new GatewardenError('no-chat', { profile, reason, hint: hint ?? '' });
}
