/** Everything that decides whether units can be handled here and now. */
export interface PreflightFacts {
  readonly platform: string;
  /** systemd is process 1 of what we see */
  readonly isBooted: boolean;
  readonly isContainer: boolean;
  /** undefined: system scope, which needs nothing more */
  readonly user: UserFacts | undefined;
}

export interface UserFacts {
  readonly name: string;
  readonly uid: number;
  /** of XDG_RUNTIME_DIR; `su` leaves another account's */
  readonly set: RuntimeDirectory | undefined;
  /** /run/user/UID */
  readonly usual: RuntimeDirectory;
  /** services go on without a login; undefined: unknown */
  readonly isLingering: boolean | undefined;
}

export interface RuntimeDirectory {
  readonly path: string;
  readonly isOurs: boolean;
  /** a socket of the manager or of the bus that we may open */
  readonly hasManager: boolean;
}

export type Preflight =
  | { readonly kind: 'ready'; readonly runtimeDir: string | undefined }
  /** nothing is wrong: there is just no such manager here (field case F15) */
  | { readonly kind: 'not-applicable'; readonly because: string; readonly instead: string }
  /** linger brings up the manager of an account that is not logged in */
  | { readonly kind: 'try-linger' }
  | { readonly kind: 'missing'; readonly because: string; readonly remedy: string };

/** @param triedLinger it was switched on just now and given time to show */
export function judgePreflight(facts: PreflightFacts, triedLinger: boolean): Preflight {
  if (facts.platform !== 'linux') {
    return { kind: 'not-applicable', because: 'systemd is for Linux', instead: elsewhere(facts) };
  }
  if (!facts.isBooted) return notBooted(facts);
  const { user } = facts;
  if (user === undefined) return { kind: 'ready', runtimeDir: undefined };
  const usable = [user.set, user.usual].find((one) => one?.isOurs && one.hasManager);
  if (usable !== undefined) return { kind: 'ready', runtimeDir: usable.path };
  if (!triedLinger) return { kind: 'try-linger' };
  return { kind: 'missing', ...whatIsMissing(user) };
}

function elsewhere({ platform }: PreflightFacts): string {
  return platform === 'darwin'
    ? 'use launchd instead: gatewarden units install launchd'
    : 'run gatewarden up';
}

function notBooted({ isContainer }: PreflightFacts): Preflight {
  return isContainer
    ? {
        kind: 'not-applicable',
        because: 'this is a container without systemd',
        instead: 'let the container run gatewarden up, with a restart policy of its engine',
      }
    : {
        kind: 'missing',
        because: 'systemd does not run this host',
        remedy: 'run gatewarden up under the manager of this host',
      };
}

/** In the order that works: linger makes the directory, and in it the bus appears (field case F14). */
function whatIsMissing(user: UserFacts): { readonly because: string; readonly remedy: string } {
  const steps: string[] = [];
  if (user.isLingering !== true) steps.push(`sudo loginctl enable-linger ${user.name}`);
  if (user.set?.path !== user.usual.path) steps.push(`export XDG_RUNTIME_DIR=${user.usual.path}`);
  if (user.usual.isOurs) steps.push('install dbus-user-session and log in again');
  steps.push('the same command again');
  const because = user.usual.isOurs
    ? `there is no socket of the user manager in ${user.usual.path}`
    : `there is no ${user.usual.path}: ${user.name} is not logged in`;
  return { because, remedy: steps.join(', then ') };
}
