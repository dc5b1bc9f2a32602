import type { ProcStat } from '../../src/core/proc-stat.js';

/** What makes a process belong to a generation; any of the three is enough. */
export interface Membership {
  /** root of the tree; its session and process group carry the same number */
  readonly rootPid: number | undefined;
  /** the root leads a session of its own (a cluster worker shares ours: fact 2 of style.md) */
  readonly ownSession: boolean;
  /** full tag, or a prefix of it */
  readonly hasScope: (scope: string) => boolean;
}

/**
 * Picks a generation's processes out of a snapshot: by session, by tag, and everything that
 * descends from either. The caller itself and its ancestors are never picked.
 */
export function pickMembers(
  snapshot: readonly ProcStat[],
  membership: Membership,
  facts: { readonly selfPid: number; readonly scopeOf: (pid: number) => string | undefined },
): ProcStat[] {
  const spared = ancestorsOf(snapshot, facts.selfPid);
  const picked = new Set<number>();
  for (const process of snapshot) {
    if (spared.has(process.pid)) continue;
    if (isDirectMember(process, membership, facts.scopeOf)) picked.add(process.pid);
  }
  addDescendants(snapshot, picked, spared);
  return snapshot.filter((process) => picked.has(process.pid));
}

function isDirectMember(
  process: ProcStat,
  membership: Membership,
  scopeOf: (pid: number) => string | undefined,
): boolean {
  const { rootPid, ownSession, hasScope } = membership;
  if (rootPid !== undefined) {
    if (process.pid === rootPid) return true;
    if (ownSession && (process.session === rootPid || process.pgrp === rootPid)) return true;
  }
  const scope = scopeOf(process.pid);
  return scope !== undefined && hasScope(scope);
}

function ancestorsOf(snapshot: readonly ProcStat[], pid: number): Set<number> {
  const parents = new Map(snapshot.map((process) => [process.pid, process.ppid]));
  const spared = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !spared.has(at); ) {
    spared.add(at);
    at = parents.get(at);
  }
  return spared;
}

function addDescendants(
  snapshot: readonly ProcStat[],
  picked: Set<number>,
  spared: ReadonlySet<number>,
): void {
  const children = new Map<number, number[]>();
  for (const { pid, ppid } of snapshot) {
    const siblings = children.get(ppid);
    if (siblings === undefined) children.set(ppid, [pid]);
    else siblings.push(pid);
  }
  const queue = [...picked];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (picked.has(child) || spared.has(child)) continue;
      picked.add(child);
      queue.push(child);
    }
  }
}
