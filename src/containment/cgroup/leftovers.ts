import { basename, dirname, join } from 'node:path';
import type { CgroupFiles } from './files.js';

/** A cgroup that an earlier process of ours made for a profile. */
export interface LeftCgroup {
  readonly directory: string;
  readonly profile: string;
}

export interface LeftoverFacts {
  /** where trees of this home stand beside ours */
  readonly origin: string;
  /** our own tree */
  readonly tree: string;
  /** starts the name of every tree of this home, and of no other */
  readonly treePrefix: string;
  /** directories that earlier generations were recorded with, wherever they were */
  readonly recorded: readonly string[];
  readonly leafName: string;
  readonly files: CgroupFiles;
}

/** Trees of this home that are not ours: their makers are dead, because one lock admits one. */
export function findOldTrees(facts: LeftoverFacts): string[] {
  const { files, origin, recorded, tree, treePrefix } = facts;
  const isOurs = (name: string) => name.startsWith(treePrefix);
  const beside = files
    .list(origin)
    .filter(isOurs)
    .map((name) => join(origin, name));
  const elsewhere = recorded.map(dirname).filter((parent) => isOurs(basename(parent)));
  return [...new Set([...beside, ...elsewhere])].filter((path) => path !== tree);
}

/** What their profiles left, without the leaf of the dead supervisor: its guardian may still work. */
export function findLeftCgroups(facts: LeftoverFacts): LeftCgroup[] {
  return findOldTrees(facts).flatMap((tree) =>
    facts.files
      .list(tree)
      .filter((name) => name !== facts.leafName)
      .map((name) => ({ directory: join(tree, name), profile: name.split('.')[0] ?? name })),
  );
}
