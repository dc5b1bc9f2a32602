import type { ProcStat } from '../../core/proc-stat.js';
import type { Containment, LimitSupport, Scope, ScopeOptions } from '../port.js';
import { pickMembers } from '../processes/members.js';
import { readScope, scanProcesses } from '../processes/proc-scan.js';
import { rlimitSupport } from '../rlimits.js';
import { SessionScope } from './session-scope.js';

/** The second rung: a session for every program, a tag in its environment, a walk over /proc. */
export class SessionContainment implements Containment {
  readonly rung = 'session+tag';
  readonly place = undefined;
  readonly weakerBecause: string;
  readonly limits: LimitSupport;
  readonly #tag: string;
  readonly #memoryBytes: number | undefined;

  /**
   * @param tag what the tags of its scopes begin with
   * @param memoryBytes for each program of a scope that is opened without limits of its own
   */
  constructor(tag: string, weakerBecause: string, memoryBytes?: number) {
    this.#tag = tag;
    this.#memoryBytes = memoryBytes;
    this.weakerBecause = weakerBecause;
    this.limits = rlimitSupport('there are no cgroup controllers on this rung');
  }

  openScope(name: string, options: ScopeOptions = {}): Scope {
    const tag = options.tag ?? `${this.#tag}:${name}`;
    const dataBytes = options.limits === undefined ? this.#memoryBytes : options.limits.memoryBytes;
    return new SessionScope({ name, tag, dataBytes, notices: [] });
  }

  leftovers(): readonly Scope[] {
    return []; // no place outlives its owner on this rung
  }

  async census(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly number[]>> {
    const snapshot = scanProcesses();
    const scopeOf = orphanScopes(snapshot);
    const counted = new Map<Scope, readonly number[]>();
    for (const scope of scopes) {
      if (!(scope instanceof SessionScope)) continue;
      const picked = pickMembers(snapshot, scope.membership, { selfPid: process.pid, scopeOf });
      counted.set(
        scope,
        picked.map(({ pid }) => pid),
      );
    }
    return counted;
  }

  async close(): Promise<void> {}
}

/** Only what has lost its parent needs its environment read: the rest is found by descent. */
function orphanScopes(snapshot: readonly ProcStat[]): (pid: number) => string | undefined {
  const alive = new Set(snapshot.map((one) => one.pid));
  const orphans = new Set(
    snapshot.filter((one) => one.ppid <= 1 || !alive.has(one.ppid)).map((one) => one.pid),
  );
  return (pid) => (orphans.has(pid) ? readScope(pid) : undefined);
}
