import { join } from 'node:path';
import type { LimitReach, LimitSupport } from '../port.js';
import { rlimitSupport } from '../rlimits.js';
import { type CgroupFiles, removeCgroup } from './files.js';
import type { OwnPlace } from './own-place.js';
import { isPopulated } from './pids.js';
import { PopulatedWatch } from './populated-watch.js';

/** A subtree of our own, with ourselves in a leaf of it. */
export interface Claim {
  /** the cgroup that we were started in */
  readonly origin: string;
  readonly tree: string;
  readonly leaf: string;
  readonly limits: LimitSupport;
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'refused'; readonly because: string };

export interface ClaimFacts {
  readonly treeName: string;
  readonly leafName: string;
  readonly pid: number;
  readonly files: CgroupFiles;
}

/**
 * Makes a subtree below our own cgroup and moves us into a leaf of it, so that we never live in
 * an inner node: a node with processes cannot hand controllers down (EBUSY, field case B24).
 */
export function claimPlace(place: OwnPlace, facts: ClaimFacts): ClaimResult {
  const { files, pid } = facts;
  const origin = place.directory;
  if (place.isReadOnly) return refused(`cgroup v2 is mounted read-only at ${origin}`);
  const tree = join(origin, facts.treeName);
  const leaf = join(tree, facts.leafName);
  for (const directory of [tree, leaf]) {
    const errno = files.makeDirectory(directory);
    if (errno !== undefined && errno !== 'EEXIST') {
      files.removeDirectory(tree);
      return refused(refusalText(origin, errno));
    }
  }
  const errno = files.write(join(leaf, 'cgroup.procs'), String(pid));
  if (errno !== undefined) {
    files.removeDirectory(leaf);
    files.removeDirectory(tree);
    return refused(refusalText(origin, errno));
  }
  return { kind: 'claimed', claim: { origin, tree, leaf, limits: handDown(origin, tree, files) } };
}

/** What else lived in our leaf has been told to go; the next start removes what stays. */
const LEAVE_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 20;

/** Goes back to where we were started and takes down what we made, as far as it is empty. */
export async function leavePlace(claim: Claim, pid: number, files: CgroupFiles): Promise<void> {
  files.write(join(claim.origin, 'cgroup.procs'), String(pid));
  const watch = new PopulatedWatch(claim.leaf, { fallbackMs: LOOK_EVERY_MS });
  await watch.until(() => !isPopulated(claim.leaf, files), LEAVE_WITHIN_MS);
  watch.close();
  removeCgroup(claim.tree, files);
}

function refused(because: string): ClaimResult {
  return { kind: 'refused', because };
}

/** What an operator can do something about, by what the kernel said. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'is not delegated to us (under systemd: Delegate=yes)',
  EPERM: 'is not delegated to us (under systemd: Delegate=yes)',
  EROFS: 'is on a read-only mount',
  EBUSY: 'hands controllers down and so takes no processes',
  EOPNOTSUPP: 'is threaded and takes no processes',
  EAGAIN: 'may not have more cgroups below it',
  ENOSPC: 'may not have more cgroups below it',
  ENOENT: 'cannot be seen from here',
};

function refusalText(origin: string, errno: string): string {
  return `the cgroup ${origin} ${REFUSALS[errno] ?? 'refused us'} (${errno})`;
}

const CONTROLLERS = { memoryBytes: 'memory', processes: 'pids', cpus: 'cpu' } as const;

/** Hands each controller that there is down to the profiles; every refusal gets its reason. */
function handDown(origin: string, tree: string, files: CgroupFiles): LimitSupport {
  const reach = (name: keyof typeof CONTROLLERS): LimitReach => {
    const because = handDownOne(CONTROLLERS[name], { origin, tree, files });
    return because === undefined ? { kind: 'tree' } : rlimitSupport(because)[name];
  };
  return {
    memoryBytes: reach('memoryBytes'),
    processes: reach('processes'),
    cpus: reach('cpus'),
  };
}

/** @returns why it could not be handed down */
function handDownOne(
  controller: string,
  { origin, tree, files }: { origin: string; tree: string; files: CgroupFiles },
): string | undefined {
  if (!has(origin, 'cgroup.controllers', controller, files)) {
    return `the ${controller} controller is not available in ${origin}`;
  }
  if (!has(tree, 'cgroup.controllers', controller, files)) {
    const refusal = mayConfigure(origin, files)
      ? files.write(join(origin, 'cgroup.subtree_control'), `+${controller}`)
      : 'EBUSY';
    if (refusal === 'EBUSY')
      return `other processes live in ${origin}, so it cannot hand down ${controller}`;
    if (refusal !== undefined) return `${origin} refused to hand down ${controller} (${refusal})`;
  }
  const refusal = files.write(join(tree, 'cgroup.subtree_control'), `+${controller}`);
  return refusal === undefined
    ? undefined
    : `${tree} refused to hand down ${controller} (${refusal})`;
}

function has(directory: string, file: string, word: string, files: CgroupFiles): boolean {
  return (files.read(join(directory, file)) ?? '').trim().split(/\s+/).includes(word);
}

/** The root of the hierarchy is the host's: what it hands down is not for us to change. */
function mayConfigure(origin: string, files: CgroupFiles): boolean {
  const isHierarchyRoot = files.read(join(origin, 'cgroup.type')) === undefined;
  return !isHierarchyRoot && (files.read(join(origin, 'cgroup.procs')) ?? '').trim() === '';
}
