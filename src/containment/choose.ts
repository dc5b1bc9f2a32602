import { readFileSync } from 'node:fs';
import type { ContainmentGrant } from '../core/assignment.js';
import { CgroupContainment } from './cgroup/cgroup-containment.js';
import { type Claim, type ClaimResult, claimPlace, leavePlace } from './cgroup/claim.js';
import { CGROUP_FILES, type CgroupFiles } from './cgroup/files.js';
import { findOwnPlaces } from './cgroup/own-place.js';
import { canJoinBeforeExec } from './launch/launch.js';
import { type Containment, type LimitSupport, NO_LIMITS } from './port.js';
import { PsContainment } from './ps/ps-containment.js';
import { rlimitSupport } from './rlimits.js';
import { SessionContainment } from './session/session-containment.js';
import { toolMemoryHere } from './tool-memory.js';

export interface ContainmentFacts {
  /** every process's GATEWARDEN_SCOPE begins with it, followed by `:` and the scope's name */
  readonly tag: string;
  /** the leaf that the caller itself moves into, so that it does not live in an inner node */
  readonly leaf: 'supervisor' | 'gateway';
  /** the subtree that is made below our own cgroup */
  readonly treeName: string;
  /** starts the names of the subtrees of earlier instances, and of nobody who may be alive */
  readonly treePrefix?: string;
  /** how the cgroup file system is touched */
  readonly files?: CgroupFiles;
  /** for scopes without limits of their own; given by a gateway, whose scopes are those of tools */
  readonly toolMemoryBytes?: number | undefined;
}

/** Takes the strongest rung that this host offers and says why not a stronger one. */
export function chooseContainment(facts: ContainmentFacts): Containment {
  const claimed = claimFirst(facts);
  if (claimed.kind === 'claimed') return openCgroups(claimed.claim, facts);
  return isProcThere()
    ? new SessionContainment(facts.tag, claimed.because, facts.toolMemoryBytes)
    : new PsContainment(facts.tag, `there is no /proc here, and ${claimed.because}`);
}

/**
 * For a gateway under a supervisor: the rung was chosen there, and its scopes stand beside the
 * gateway's own leaf.
 */
export function inheritContainment(
  grant: ContainmentGrant,
  { tag, toolMemoryBytes }: { readonly tag: string; readonly toolMemoryBytes: number | undefined },
): Containment {
  const { place, memoryBytesPerProcess, holdsMemory, weakerBecause } = grant;
  const perProcess = least(memoryBytesPerProcess, toolMemoryBytes);
  const because = weakerBecause ?? 'the supervisor gave it no cgroup';
  if (place === undefined) {
    return isProcThere()
      ? new SessionContainment(tag, because, perProcess)
      : new PsContainment(tag, because);
  }
  return new CgroupContainment({
    tree: place,
    tag,
    files: CGROUP_FILES,
    // the tree's own limits are the supervisor's business
    limits: supportOf(holdsMemory),
    defaultLimits: {
      ...NO_LIMITS,
      memoryBytes: holdsMemory ? toolMemoryHere(toolMemoryBytes) : perProcess,
    },
    inheritance: undefined,
    onClose: () => Promise.resolve(),
  });
}

function supportOf(holdsMemory: boolean): LimitSupport {
  const support = rlimitSupport('it is set for the profile as a whole');
  return holdsMemory ? { ...support, memoryBytes: { kind: 'tree' } } : support;
}

function least(...limits: readonly (number | undefined)[]): number | undefined {
  const set = limits.filter((limit) => limit !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

function claimFirst(facts: ContainmentFacts): ClaimResult {
  const cgroup = readText('/proc/self/cgroup');
  const mountinfo = readText('/proc/self/mountinfo');
  if (cgroup === undefined || mountinfo === undefined) {
    return { kind: 'refused', because: 'this host shows no cgroups' };
  }
  if (!canJoinBeforeExec()) {
    return { kind: 'refused', because: 'there is no /bin/sh for programs to join a cgroup with' };
  }
  const found = findOwnPlaces(cgroup, mountinfo);
  if (found.kind === 'none') return { kind: 'refused', because: found.because };
  const { files = CGROUP_FILES, leaf, treeName } = facts;
  const claimFacts = { files, leafName: leaf, treeName, pid: process.pid };
  const [first, ...others] = found.places;
  const result = claimPlace(first, claimFacts);
  if (result.kind === 'claimed') return result;
  for (const place of others) {
    const other = claimPlace(place, claimFacts);
    if (other.kind === 'claimed') return other;
  }
  return result;
}

function openCgroups(claim: Claim, facts: ContainmentFacts): Containment {
  const { files = CGROUP_FILES, leaf: leafName, tag, treeName, treePrefix = treeName } = facts;
  return new CgroupContainment({
    tree: claim.tree,
    tag,
    files,
    limits: claim.limits,
    defaultLimits: { ...NO_LIMITS, memoryBytes: toolMemoryIn(claim, facts) },
    inheritance: { origin: claim.origin, treePrefix, leafName },
    onClose: () => leavePlace(claim, process.pid, files),
  });
}

/** A supervisor's scopes are profiles, which say their own limits. */
function toolMemoryIn({ limits }: Claim, { leaf, toolMemoryBytes }: ContainmentFacts) {
  if (leaf === 'supervisor' || limits.memoryBytes.kind !== 'tree') return toolMemoryBytes;
  return toolMemoryHere(toolMemoryBytes);
}

function isProcThere(): boolean {
  return readText('/proc/self/stat') !== undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
