import type { ProcessIdentity } from './process-identity.js';

/**
 * Where a process lives. Pids mean something only among processes of one place; a kernel's
 * lock reaches as far as its boot does.
 */
export interface Place {
  /** tells machines apart; a hash, never the machine's own id */
  readonly machine: string;
  readonly hostName: string;
  /** as /proc/self/ns/pid names it; undefined where there are no namespaces */
  readonly pidNamespace: string | undefined;
}

/** A process beyond doubt, and what it is: the one way in which locks and messages name one. */
export interface Owner {
  readonly identity: ProcessIdentity;
  /** undefined in records that were written before places were */
  readonly place?: Place | undefined;
  readonly home: string;
  /** undefined for a supervisor */
  readonly profile?: string | undefined;
  /** epoch milliseconds */
  readonly startedAt: number;
}

/**
 * What can be known of an owner from here. `elsewhere`: another pid namespace or machine, where
 * our process table proves nothing; `unknown`: a process with that pid exists, but nothing
 * proves that it is the same one.
 */
export type OwnerLiveness = 'alive' | 'dead' | 'unknown' | 'elsewhere';

export interface Here {
  readonly place: Place;
  readonly bootId: string | undefined;
}

/** How the process table that we see relates to an owner. */
export type Nearness =
  /** our table shows it if it lives */
  | 'same-table'
  /** the same kernel, another pid namespace: its locks are ours, its pids are not */
  | 'same-kernel'
  /** this machine before its last boot: nothing of it lives */
  | 'earlier-boot'
  | 'other-machine';

export function nearnessOf(owner: Owner, here: Here): Nearness {
  const { bootId } = owner.identity;
  const { place } = owner;
  // a boot id is random: the same one is the same kernel, whatever the machine calls itself
  if (bootId !== undefined && bootId === here.bootId) {
    const isSameTable = place === undefined || place.pidNamespace === here.place.pidNamespace;
    return isSameTable ? 'same-table' : 'same-kernel';
  }
  if (place !== undefined && place.machine !== here.place.machine) return 'other-machine';
  return bootId === undefined || here.bootId === undefined ? 'same-table' : 'earlier-boot';
}

/** `pid 71 (gateway of profile coder in /srv/bots, on host b, since …)`: the one printer. */
export function describeOwner(owner: Owner | undefined, here?: Here): string {
  if (owner === undefined) return 'a process that cannot be named';
  const { home, identity, profile, startedAt } = owner;
  const role = profile === undefined ? 'supervisor' : `gateway of profile ${profile}`;
  const words = [
    `${role} in ${home}`,
    ...whereabouts(owner, here),
    ...(Number.isFinite(startedAt) ? [`since ${new Date(startedAt).toISOString()}`] : []),
  ];
  return `pid ${identity.pid} (${words.join(', ')})`;
}

function whereabouts(owner: Owner, here: Here | undefined): string[] {
  if (here === undefined || owner.place === undefined) return [];
  switch (nearnessOf(owner, here)) {
    case 'same-table':
    case 'earlier-boot':
      return [];
    case 'same-kernel':
      return [`in another container or pid namespace (${owner.place.hostName})`];
    case 'other-machine':
      return [`on host ${owner.place.hostName}`];
  }
}

export function parseOwner(raw: unknown): Owner | undefined {
  if (!isRecord(raw) || !isRecord(raw['identity'])) return undefined;
  const { home, profile, startedAt } = raw;
  const { pid, startTicks, bootId } = raw['identity'];
  if (typeof home !== 'string' || typeof startedAt !== 'number') return undefined;
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined;
  return {
    identity: {
      pid: Number(pid),
      startTicks: typeof startTicks === 'number' ? startTicks : undefined,
      bootId: textOr(bootId),
    },
    place: parsePlace(raw['place']),
    home,
    profile: textOr(profile),
    startedAt,
  };
}

function parsePlace(raw: unknown): Place | undefined {
  if (!isRecord(raw)) return undefined;
  const { machine, hostName, pidNamespace } = raw;
  if (typeof machine !== 'string' || typeof hostName !== 'string') return undefined;
  return { machine, hostName, pidNamespace: textOr(pidNamespace) };
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
