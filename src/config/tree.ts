/**
 * A configuration file as a tree in which every value still knows where it was written, so
 * that two files can be merged and a problem still names the right one.
 */
export type Tree = Mapping | Sequence | Scalar;

export interface Place {
  readonly file: string;
  /** 1-based; undefined when the whole file is meant */
  readonly line: number | undefined;
  /** the key in that file under which a moved tree was written, such as `defaults` */
  readonly under?: string;
}

export interface Mapping {
  readonly kind: 'mapping';
  readonly at: Place;
  /** a Map: `__proto__` is a key like any other in it */
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface Entry {
  /** where the key stands */
  readonly at: Place;
  readonly value: Tree;
}

export interface Sequence {
  readonly kind: 'sequence';
  readonly at: Place;
  readonly items: readonly Tree[];
}

export interface Scalar {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
  /** as it was written, before YAML made a number of it */
  readonly source: string;
  /** some of its text came from `${NAME}` */
  readonly secret: boolean;
}

export type Path = readonly PropertyKey[];

export function emptyMapping(file: string): Mapping {
  return { kind: 'mapping', at: { file, line: undefined }, entries: new Map() };
}

/** Plain values for the schema; own properties only, also for a key named `__proto__`. */
export function toPlain(tree: Tree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'sequence':
      return tree.items.map(toPlain);
    case 'mapping':
      return Object.fromEntries(
        [...tree.entries].map(([key, entry]) => [key, toPlain(entry.value)]),
      );
    default:
      return tree satisfies never;
  }
}

/** The value at a path; undefined when there is none. */
export function valueAt(tree: Tree, path: Path): Tree | undefined {
  let value: Tree | undefined = tree;
  for (const step of path) {
    if (value?.kind === 'mapping') value = value.entries.get(String(step))?.value;
    else if (value?.kind === 'sequence') value = value.items[Number(step)];
    else return undefined;
  }
  return value;
}

/** Where a path was written: its key, or the nearest one above that exists. */
export function placeOf(tree: Tree, path: Path): Place {
  let value: Tree = tree;
  let place = tree.at;
  for (const step of path) {
    const next: Entry | Tree | undefined =
      value.kind === 'mapping'
        ? value.entries.get(String(step))
        : value.kind === 'sequence'
          ? value.items[Number(step)]
          : undefined;
    if (next === undefined) break;
    place = next.at;
    value = 'kind' in next ? next : next.value;
  }
  return place;
}

/** The tree with places that name the key it was moved from. */
export function movedFrom<Kind extends Tree>(tree: Kind, under: string): Kind;
export function movedFrom(tree: Tree, under: string): Tree {
  const at = { ...tree.at, under };
  switch (tree.kind) {
    case 'scalar':
      return { ...tree, at };
    case 'sequence':
      return { ...tree, at, items: tree.items.map((item) => movedFrom(item, under)) };
    case 'mapping': {
      const entries = [...tree.entries].map(
        ([key, { at: keyAt, value }]) =>
          [key, { at: { ...keyAt, under }, value: movedFrom(value, under) }] as const,
      );
      return { ...tree, at, entries: new Map(entries) };
    }
    default:
      return tree satisfies never;
  }
}

export function without(mapping: Mapping, keys: readonly string[]): Mapping {
  const entries = [...mapping.entries].filter(([key]) => !keys.includes(key));
  return { ...mapping, entries: new Map(entries) };
}

/** In one pass: path by path, a file of nothing but faults would cost its square. */
export function withoutPaths(mapping: Mapping, paths: readonly Path[]): Mapping {
  const restsOf = new Map<string, Path[]>();
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    const key = String(first);
    const rests = restsOf.get(key);
    if (rests === undefined) restsOf.set(key, [rest]);
    else rests.push(rest);
  }
  const entries = [...mapping.entries].flatMap(([key, entry]): [string, Entry][] => {
    const rests = restsOf.get(key);
    if (rests === undefined) return [[key, entry]];
    if (entry.value.kind !== 'mapping' || rests.some(({ length }) => length === 0)) return [];
    return [[key, { ...entry, value: withoutPaths(entry.value, rests) }]];
  });
  return { ...mapping, entries: new Map(entries) };
}

/** The part below a key as a mapping; undefined when it is absent or something else. */
export function mappingAt(tree: Tree, path: Path): Mapping | undefined {
  const value = valueAt(tree, path);
  return value?.kind === 'mapping' ? value : undefined;
}
