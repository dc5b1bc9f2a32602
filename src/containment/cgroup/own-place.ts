import { posix } from 'node:path';

/** Where a process stands in a cgroup2 hierarchy, as far as it can be seen. */
export interface OwnPlace {
  /** directory of the cgroup that it is in */
  readonly directory: string;
  readonly isReadOnly: boolean;
}

export type FoundPlaces =
  | { readonly kind: 'found'; readonly places: readonly [OwnPlace, ...OwnPlace[]] }
  | { readonly kind: 'none'; readonly because: string };

/**
 * Finds a process's own cgroup from its /proc/PID/cgroup and /proc/PID/mountinfo: in a pure, a
 * hybrid and a namespaced hierarchy, and where only a part of one is mounted.
 */
export function findOwnPlaces(cgroup: string, mountinfo: string): FoundPlaces {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1];
  if (own === undefined) return none('this kernel has no cgroup v2');
  // the namespace begins below us: what we are in cannot be named
  if (isOutside(own)) return none('our own cgroup lies outside of our cgroup namespace');
  const mounts = parseCgroup2Mounts(mountinfo);
  if (mounts.length === 0) return none('no cgroup v2 hierarchy is mounted');
  const [first, ...others] = mounts.flatMap(({ point, root, isReadOnly }) => {
    const inner = belowRoot(own, root);
    return inner === undefined ? [] : [{ directory: posix.join(point, inner), isReadOnly }];
  });
  if (first === undefined) return none('our own cgroup is not in the mounted part of cgroup v2');
  return { kind: 'found', places: [first, ...others] };
}

function none(because: string): FoundPlaces {
  return { kind: 'none', because };
}

interface Mount {
  readonly point: string;
  /** the part of the hierarchy that is mounted there */
  readonly root: string;
  readonly isReadOnly: boolean;
}

/** Lines of proc(5): `36 35 0:28 ROOT POINT rw,… [optional…] - cgroup2 SOURCE rw,…`; the newest first. */
function parseCgroup2Mounts(mountinfo: string): readonly Mount[] {
  const seen = new Set<string>();
  return mountinfo
    .split('\n')
    .reverse()
    .flatMap((line) => {
      const [mount = '', type = ''] = line.split(' - ');
      const [, , , root = '', point = '', options = ''] = mount.split(' ').map(unescapeOctal);
      // an older mount on the same point is hidden by the newer one, whatever it is
      const isHidden = seen.has(point);
      seen.add(point);
      if (isHidden || !type.startsWith('cgroup2 ') || isOutside(root)) return [];
      const isReadOnly = options.split(',').includes('ro') || /\bro\b/.test(type);
      return [{ root, point, isReadOnly }];
    });
}

function belowRoot(own: string, root: string): string | undefined {
  if (root === '/') return own;
  if (own === root) return '/';
  return own.startsWith(`${root}/`) ? own.slice(root.length) : undefined;
}

function isOutside(path: string): boolean {
  return path === '/..' || path.startsWith('/../');
}

/** Blanks, tabs, newlines and backslashes are written as three octal digits. */
function unescapeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
