import { join } from 'node:path';
import { censusOneByOne } from '../census.js';
import type {
  Containment,
  ContainmentPlace,
  LimitSupport,
  Scope,
  ScopeLimits,
  ScopeOptions,
} from '../port.js';
import { SessionScope } from '../session/session-scope.js';
import { CgroupScope } from './cgroup-scope.js';
import { type CgroupFiles, delegateCgroup, removeCgroup } from './files.js';
import { findLeftCgroups, findOldTrees, type LeftCgroup } from './leftovers.js';
import { writeLimits } from './limits.js';

export interface CgroupContainmentFacts {
  /** scopes are made right below it */
  readonly tree: string;
  /** what the tags of scopes begin with */
  readonly tag: string;
  readonly limits: LimitSupport;
  readonly files: CgroupFiles;
  /** for scopes that are opened without limits of their own */
  readonly defaultLimits: ScopeLimits;
  /** where earlier owners may have left something; undefined: somebody else looks after that */
  readonly inheritance: Inheritance | undefined;
  readonly onClose: () => Promise<void>;
}

interface Furniture extends Pick<ScopeOptions, 'owner'> {
  readonly name: string;
  readonly leaf: string | undefined;
}

export interface Inheritance {
  readonly origin: string;
  readonly treePrefix: string;
  readonly leafName: string;
}

/** Names tried for one scope: the old one may still hold a process that nothing can end. */
const MAX_NAMES = 100;

/** The first rung. */
export class CgroupContainment implements Containment {
  readonly rung = 'cgroup2';
  readonly weakerBecause = undefined;
  readonly limits: LimitSupport;
  readonly place: ContainmentPlace | undefined;
  readonly #facts: CgroupContainmentFacts;
  /** somebody still lived there when it was to go: tried again at every turn */
  readonly #kept = new Set<string>();

  constructor(facts: CgroupContainmentFacts) {
    const { inheritance, limits, tree } = facts;
    this.#facts = facts;
    this.limits = limits;
    this.place = inheritance && {
      origin: inheritance.origin,
      tree,
      leaf: join(tree, inheritance.leafName),
    };
  }

  openScope(name: string, options: ScopeOptions = {}): Scope {
    this.#removeKept();
    const made = options.reopen === true ? this.#takeDirectory(name) : this.#makeDirectory(name);
    const tag = options.tag ?? `${this.#facts.tag}:${name}`;
    const limits = options.limits ?? this.#facts.defaultLimits;
    if ('errno' in made) {
      const notices = [
        `no cgroup could be made for ${name} (${made.errno}): found by session and tag`,
      ];
      return new SessionScope({ name, tag, dataBytes: limits.memoryBytes, notices });
    }
    const { leaf, owner } = options;
    return this.#furnish(made.directory, { name, tag, limits, leaf, owner });
  }

  leftovers(recorded: readonly string[]): readonly Scope[] {
    const { files, inheritance, tree } = this.#facts;
    if (inheritance === undefined) return [];
    const facts = { ...inheritance, tree, recorded, files };
    const scopes = findLeftCgroups(facts).map((left) => this.#reopen(left));
    for (const old of findOldTrees(facts)) this.#kept.add(old);
    this.#removeKept();
    return scopes;
  }

  async census(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly number[]>> {
    return await censusOneByOne(scopes);
  }

  async close(): Promise<void> {
    this.#removeKept();
    await this.#facts.onClose();
  }

  #furnish(
    directory: string,
    made: Required<Pick<ScopeOptions, 'tag' | 'limits'>> & Furniture,
  ): Scope {
    const { files } = this.#facts;
    const { leaf, limits, name, owner, tag } = made;
    const support = this.limits;
    const isInner = leaf !== undefined;
    const notices = writeLimits(directory, limits, { support, files, isInner });
    const home = leaf === undefined ? directory : join(directory, leaf);
    if (leaf !== undefined) files.makeDirectory(home);
    if (owner !== undefined) notices.push(...delegateCgroup(directory, owner, files));
    const dataBytes = support.memoryBytes.kind === 'tree' ? undefined : limits.memoryBytes;
    const onKept = (kept: string) => this.#kept.add(kept);
    return new CgroupScope({ name, tag, directory, home, dataBytes, files, notices, onKept });
  }

  /** What somebody left behind, to end it. */
  #reopen({ directory, profile: name }: LeftCgroup): Scope {
    return new CgroupScope({
      name,
      // nothing is started in it
      tag: '',
      directory,
      home: directory,
      dataBytes: undefined,
      files: this.#facts.files,
      notices: [],
      onKept: (kept) => this.#kept.add(kept),
    });
  }

  #takeDirectory(name: string): { directory: string } | { errno: string } {
    const directory = join(this.#facts.tree, name);
    const errno = this.#facts.files.makeDirectory(directory);
    return errno === undefined || errno === 'EEXIST' ? { directory } : { errno };
  }

  #makeDirectory(name: string): { directory: string } | { errno: string } {
    const { files, tree } = this.#facts;
    for (let number = 1; ; number++) {
      const directory = join(tree, number === 1 ? name : `${name}.${number}`);
      const errno = files.makeDirectory(directory);
      if (errno === undefined) return { directory };
      if (errno !== 'EEXIST' || number >= MAX_NAMES) return { errno };
      // an empty one of the same name is in nobody's way
      if (removeCgroup(directory, files) && files.makeDirectory(directory) === undefined) {
        return { directory };
      }
    }
  }

  #removeKept(): void {
    for (const directory of this.#kept) {
      if (removeCgroup(directory, this.#facts.files)) this.#kept.delete(directory);
    }
  }
}
