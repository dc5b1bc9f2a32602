import { readFileSync, realpathSync } from 'node:fs';

export interface FileSystem {
  /** as the kernel names it: ext4, nfs4, fuse.sshfs */
  readonly name: string;
  /** `shared`: another machine, or another kernel on this one, may use the same files */
  readonly storage: 'local' | 'shared';
}

/** Disks and memory of this kernel alone; its locks exclude every process that can see the file. */
const LOCAL: ReadonlySet<string> = new Set([
  'apfs',
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'fuseblk',
  'jfs',
  'overlay',
  'ramfs',
  'reiserfs',
  'rootfs',
  'tmpfs',
  'ubifs',
  'xfs',
  'zfs',
]);

/** The file system of a path. What we do not know may be shared. */
export function fileSystemOf(path: string): FileSystem {
  const name = nameOf(path) ?? (process.platform === 'linux' ? 'unknown' : 'apfs');
  return { name, storage: LOCAL.has(name) ? 'local' : 'shared' };
}

function nameOf(path: string): string | undefined {
  try {
    return fileSystemIn(readFileSync('/proc/self/mountinfo', 'utf8'), realpathSync(path));
  } catch {
    return undefined;
  }
}

/** The mount that covers a path: the longest prefix, and of equal ones the last, which hides the others. */
export function fileSystemIn(mountinfo: string, path: string): string | undefined {
  let best: { readonly length: number; readonly name: string } | undefined;
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const mountPoint = unescapeOctal(left.split(' ')[4] ?? '');
    const [name = ''] = right.split(' ');
    if (mountPoint === '' || !covers(mountPoint, path)) continue;
    if (best === undefined || mountPoint.length >= best.length) {
      best = { length: mountPoint.length, name };
    }
  }
  return best?.name;
}

function covers(mountPoint: string, path: string): boolean {
  return mountPoint === '/' || path === mountPoint || path.startsWith(`${mountPoint}/`);
}

/** Blanks and the like are written as \040. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
