import type { Ending, Scope } from '../../src/containment/index.js';

/** What is left of a tree that nothing could end (a device that hangs holds its process). */
export interface UnendedTree {
  /** undefined: nobody knows any more whose it was */
  readonly profile: string | undefined;
  readonly survivors: readonly number[];
  /** kills again; called until nobody survives */
  readonly retry: () => Promise<Ending>;
}

/** Often enough that nothing is forgotten, seldom enough that it costs nothing. */
export const RETRY_EVERY_MS = 30_000;

/** For what has outlived one SIGKILL already: no grace, and not long. */
const AGAIN = { graceMs: 0, giveUpMs: 1000, lookEveryMs: 100 } as const;

export async function endAgain(scope: Scope): Promise<Ending> {
  const ending = await scope.end(AGAIN);
  if (ending.survivors.length === 0) scope.dispose();
  return ending;
}

/** Survivors stay listed, are shown and are tried again; nobody waits for them (field case B15). */
export class UnendedTrees {
  readonly #onEnded: (profile: string | undefined, pids: readonly number[]) => void;
  readonly #everyMs: number;
  #trees: readonly UnendedTree[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    onEnded: (profile: string | undefined, pids: readonly number[]) => void,
    everyMs = RETRY_EVERY_MS,
  ) {
    this.#onEnded = onEnded;
    this.#everyMs = everyMs;
  }

  add(tree: UnendedTree): void {
    this.#trees = [...this.#trees, tree];
    this.#arm();
  }

  /** undefined: of trees that belong to no profile */
  of(profile: string | undefined): readonly number[] {
    return this.#trees.filter((tree) => tree.profile === profile).flatMap((tree) => tree.survivors);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#trees = [];
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#retryAll(), this.#everyMs);
    this.#timer.unref();
  }

  async #retryAll(): Promise<void> {
    const tried = this.#trees;
    const endings = await Promise.all(tried.map((tree) => tree.retry()));
    // those that came meanwhile are tried next time
    const fresh = this.#trees.filter((tree) => !tried.includes(tree));
    const left = tried.flatMap((tree, index) => this.#judge(tree, endings[index]));
    this.#trees = [...left, ...fresh];
    if (this.#trees.length > 0) this.#arm();
  }

  #judge(tree: UnendedTree, ending: Ending | undefined): UnendedTree[] {
    const survivors = ending?.survivors ?? tree.survivors;
    const ended = tree.survivors.filter((pid) => !survivors.includes(pid));
    if (ended.length > 0) this.#onEnded(tree.profile, ended);
    return survivors.length === 0 ? [] : [{ ...tree, survivors }];
  }
}
