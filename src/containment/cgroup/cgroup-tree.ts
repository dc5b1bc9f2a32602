import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Tree } from '../end-tree.js';
import type { ScopeMember } from '../port.js';
import { isStillThere, signalMembers } from '../processes/signal.js';
import type { CgroupFiles } from './files.js';
import { identifyMembers, isFrozen, isPopulated, listPids } from './pids.js';
import { PopulatedWatch } from './populated-watch.js';

/** A process that was started in, or put into, the cgroup on purpose. */
export interface CgroupRoot extends ScopeMember {
  /** undefined: a process that somebody else started; its end is looked for */
  readonly child: ChildProcess | undefined;
}

export interface CgroupTreeFacts {
  readonly directory: string;
  readonly roots: readonly CgroupRoot[];
  readonly files: CgroupFiles;
  /** how often to look where the kernel does not tell */
  readonly lookEveryMs: number;
}

const FREEZE_WITHIN_MS = 250;

/** The first rung: the kernel keeps the list, kills it whole and tells when it is empty. */
export class CgroupTree implements Tree {
  readonly #facts: CgroupTreeFacts;
  readonly #watch: PopulatedWatch;
  readonly #nudge = () => this.#watch.nudge();
  #groupKills = 0;

  constructor(facts: CgroupTreeFacts) {
    this.#facts = facts;
    const areTold = facts.roots.every(({ child }) => child !== undefined);
    const lookEveryMs = areTold ? undefined : facts.lookEveryMs;
    this.#watch = new PopulatedWatch(facts.directory, {
      fallbackMs: facts.lookEveryMs,
      lookEveryMs,
    });
    for (const { child } of facts.roots) child?.once('exit', this.#nudge);
  }

  close(): void {
    for (const { child } of this.#facts.roots) child?.off('exit', this.#nudge);
    this.#watch.close();
  }

  async members(): Promise<readonly ScopeMember[]> {
    return this.#membersNow();
  }

  roots(): readonly CgroupRoot[] {
    return this.#facts.roots.filter(isStillThere);
  }

  signal(members: readonly ScopeMember[], signal: NodeJS.Signals): readonly number[] {
    return signalMembers(members, signal);
  }

  /**
   * One write kills all, forks under way included. Where the kernel refuses it (EINVAL was seen
   * for a whole group, EBUSY, EACCES) or it does not help, each is killed by itself, held still
   * meanwhile by the freezer.
   */
  async kill(): Promise<readonly number[]> {
    const { directory, files } = this.#facts;
    const pids = listPids(directory, files);
    // one that was just started may still be on its way into the cgroup
    const roots = signalMembers(this.#facts.roots, 'SIGKILL');
    if (this.#groupKills++ === 0) {
      const errno = files.write(join(directory, 'cgroup.kill'), '1');
      if (errno === undefined) return [...new Set([...pids, ...roots])];
    }
    await this.#holdStill();
    const killed = signalMembers(this.#membersNow(), 'SIGKILL');
    files.write(join(directory, 'cgroup.freeze'), '0');
    return killed;
  }

  /** Frozen processes cannot fork away from a list; those in the kernel's own sleep never freeze. */
  async #holdStill(): Promise<void> {
    const { directory, files } = this.#facts;
    if (files.write(join(directory, 'cgroup.freeze'), '1') !== undefined) return;
    await this.#watch.until(() => isFrozen(directory, files), FREEZE_WITHIN_MS);
  }

  async emptied(limitMs: number): Promise<boolean> {
    const { directory, files } = this.#facts;
    const isEmpty = () => !isPopulated(directory, files) && this.roots().length === 0;
    return await this.#watch.until(isEmpty, limitMs);
  }

  async rootsGone(limitMs: number): Promise<void> {
    await this.#watch.until(() => this.roots().length === 0, limitMs);
  }

  #membersNow(): readonly ScopeMember[] {
    return membersOf(this.#facts.directory, this.#facts.roots, this.#facts.files);
  }
}

/** What is listed, and the roots that are on their way: started, but not yet in the cgroup. */
export function membersOf(
  directory: string,
  roots: readonly CgroupRoot[],
  files: CgroupFiles,
): readonly ScopeMember[] {
  const listed = identifyMembers(directory, files);
  const pids = new Set(listed.map(({ pid }) => pid));
  return [...listed, ...roots.filter((root) => !pids.has(root.pid) && isStillThere(root))];
}
