import type { ProcStat } from '../../core/proc-stat.js';

/** A process that was started or taken in on purpose; everything else belongs because of one. */
export interface Root {
  readonly pid: number;
  /** undefined: it was gone before anybody looked */
  readonly startTicks: number | undefined;
  /** its session and process group carry its number */
  readonly ownSession: boolean;
}

/** What makes a process belong to a tree; any of them is enough. */
export interface Membership {
  readonly roots: readonly Root[];
  /** full tag, or a prefix of it */
  readonly hasScope: (scope: string) => boolean;
}

/**
 * Picks a tree's processes out of a snapshot: by session, by tag, and everything that
 * descends from either. The caller itself and its ancestors are never picked.
 */
export function pickMembers(
  snapshot: readonly ProcStat[],
  membership: Membership,
  facts: { readonly selfPid: number; readonly scopeOf: (pid: number) => string | undefined },
): ProcStat[] {
  const spared = ancestorsOf(snapshot, facts.selfPid);
  const roots = membership.roots.filter((root) => !isReused(snapshot, root));
  const pids = new Set(roots.map((root) => root.pid));
  const sessions = new Set(roots.filter((root) => root.ownSession).map((root) => root.pid));
  const picked = new Set<number>();
  for (const process of snapshot) {
    if (spared.has(process.pid)) continue;
    const { pid, pgrp, session } = process;
    const belongs =
      pids.has(pid) ||
      sessions.has(session) ||
      sessions.has(pgrp) ||
      isTagged(facts.scopeOf(pid), membership);
    if (belongs) picked.add(pid);
  }
  addDescendants(snapshot, picked, spared);
  return snapshot.filter((process) => picked.has(process.pid));
}

/** A number that a stranger has now: neither it nor the session of that number is ours. */
function isReused(snapshot: readonly ProcStat[], root: Root): boolean {
  const holder = snapshot.find((process) => process.pid === root.pid);
  return holder !== undefined && holder.startTicks !== root.startTicks;
}

function isTagged(scope: string | undefined, { hasScope }: Membership): boolean {
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
