import type { Ending, EndingTimes, ScopeMember } from './port.js';

/** What a rung must be able to do so that a tree can be ended in the order of design §7. */
export interface Tree {
  /** everything alive, found afresh */
  members(): Promise<readonly ScopeMember[]>;
  /** those of the tree that are its roots and live; empty when they are gone or not known */
  roots(): readonly ScopeMember[];
  /** sends a signal to those that are still who they were; @returns the pids that got it */
  signal(members: readonly ScopeMember[], signal: NodeJS.Signals): readonly number[];
  /** the surest kill of everything in it; @returns the pids it was aimed at */
  kill(): Promise<readonly number[]>;
  /** waits until nobody is left; false when the time passed, or when waiting longer is no use */
  emptied(limitMs: number): Promise<boolean>;
  /** waits until no root is left, or nobody */
  rootsGone(limitMs: number): Promise<void>;
}

/** Between two kills: what is being torn down needs time, what forks on must not get it. */
const LONGEST_ROUND_MS = 500;

/**
 * SIGTERM to the roots, grace; SIGTERM to the survivors, grace; then kill over fresh snapshots
 * until none is left, because a tree may fork while it dies. Returns as soon as all are dead.
 */
export async function endTree(tree: Tree, times: EndingTimes): Promise<Ending> {
  const signalled = new Set<number>();
  const empty = times.graceMs > 0 ? await endPolitely(tree, times.graceMs, signalled) : false;
  const gone = empty || (await endSurely(tree, times, signalled));
  const survivors = gone ? [] : (await tree.members()).map(({ pid }) => pid);
  return { signalled: [...signalled], survivors };
}

/** A root such as a browser or a shell takes its own children down in order, if it is let. */
async function endPolitely(tree: Tree, graceMs: number, signalled: Set<number>): Promise<boolean> {
  if (tree.roots().length > 0) {
    ask(tree, tree.roots(), signalled);
    await tree.rootsGone(graceMs);
  }
  const survivors = await tree.members();
  if (survivors.length === 0) return true;
  ask(tree, survivors, signalled);
  return await waitUntilEmpty(tree, graceMs);
}

async function waitUntilEmpty(tree: Tree, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const leftMs = deadline - performance.now();
    if (await tree.emptied(Math.max(0, leftMs))) return true;
    if (performance.now() >= deadline) return false;
  }
}

function ask(tree: Tree, members: readonly ScopeMember[], signalled: Set<number>): void {
  for (const pid of tree.signal(members, 'SIGTERM')) signalled.add(pid);
  // a stopped process acts on SIGTERM only once it runs again
  tree.signal(members, 'SIGCONT');
}

async function endSurely(
  tree: Tree,
  { giveUpMs, lookEveryMs }: EndingTimes,
  signalled: Set<number>,
): Promise<boolean> {
  const deadline = performance.now() + giveUpMs;
  for (let roundMs = lookEveryMs; ; roundMs = Math.min(roundMs * 2, LONGEST_ROUND_MS)) {
    for (const pid of await tree.kill()) signalled.add(pid);
    if (await tree.emptied(roundMs)) return true;
    if (performance.now() >= deadline) return false;
  }
}
