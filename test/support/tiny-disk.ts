import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TinyDisk {
  readonly path: string;
  /** takes the last byte there is */
  fill(): void;
  /** gives the room back */
  empty(): void;
}

interface Teardown {
  teardown(undo: () => void): void;
}

/** Why this machine cannot have one, for a test's `skip`; false when it can. */
export function tinyDiskMissing(): string | false {
  const probes: (() => void)[] = [];
  try {
    mountTinyDisk({ teardown: (undo) => probes.push(undo) }, 64);
    return false;
  } catch (error) {
    return `needs root and the right to mount a tmpfs: ${String(error)}`;
  } finally {
    for (const undo of probes) undo();
  }
}

/** A file system of its own, unmounted in teardown. */
export function mountTinyDisk(t: Teardown, kibibytes: number): TinyDisk {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-disk-'));
  t.teardown(() => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  });
  const options = `size=${kibibytes}k,mode=0700`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'gatewarden-test', path], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) throw new Error(mounted.stderr ?? String(mounted.error));
  const ballast = join(path, 'ballast');
  return { path, fill: () => fill(ballast), empty: () => rmSync(ballast, { force: true }) };
}

function fill(path: string): void {
  const fd = openSync(path, 'a');
  try {
    for (const size of [65_536, 4096, 512, 1]) writeUntilFull(fd, Buffer.alloc(size));
  } finally {
    closeSync(fd);
  }
}

function writeUntilFull(fd: number, block: Buffer): void {
  try {
    for (;;) writeSync(fd, block);
  } catch {
    // full for blocks of this size
  }
}
