import { isAlias, isMap, isScalar, isSeq, type LineCounter } from 'yaml';
import type { ConfigProblem } from './model.js';
import { problemAt, quote, wholeFileProblem } from './problems.js';
import {
  type Entry,
  emptyMapping,
  type Mapping,
  type Path,
  type Scalar,
  type Tree,
} from './tree.js';

/** No setting lies deeper than five levels. */
const MAX_DEPTH = 24;

/** Values in one file with every alias written out: bounds what exploding aliases can cost. */
const MAX_VALUES = 20_000;

/** `010`, `0x1f` and `.inf` mean different things to different readers: they stay text. */
const PLAIN_NUMBER = /^[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

export type BuiltTree =
  | { readonly kind: 'tree'; readonly tree: Mapping }
  | { readonly kind: 'bad'; readonly problems: readonly ConfigProblem[] };

/** Turns the content of a parsed document into a tree; no content is an empty mapping. */
export function buildTree(file: string, contents: unknown, lines: LineCounter): BuiltTree {
  return new TreeBuilder(file, lines).build(contents);
}

export function deepProblem(file: string): ConfigProblem {
  return wholeFileProblem(file, `at most ${MAX_DEPTH} levels of nesting`, 'more');
}

/** A fault that ends the conversion at once: going on would cost without bound. */
class Unbuildable extends Error {
  constructor(readonly problem: ConfigProblem) {
    super(problem.expected);
  }
}

/** Turns the parser's nodes into a tree, writing aliases out within bounds. */
class TreeBuilder {
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, { readonly tree: Tree; readonly values: number }>();
  readonly #problems: ConfigProblem[] = [];
  #values = 0;

  constructor(file: string, lines: LineCounter) {
    this.#file = file;
    this.#lines = lines;
  }

  build(contents: unknown): BuiltTree {
    if (contents === null || (isScalar(contents) && contents.value === null)) {
      return { kind: 'tree', tree: emptyMapping(this.#file) };
    }
    if (!isMap(contents)) {
      const got = isSeq(contents) ? 'a list' : 'a single value';
      return bad([wholeFileProblem(this.#file, 'a mapping of keys to values', got)]);
    }
    try {
      const tree = this.#convert(contents, []);
      if (this.#problems.length > 0) return bad(this.#problems);
      return { kind: 'tree', tree: tree as Mapping };
    } catch (error) {
      if (error instanceof Unbuildable) return bad([...this.#problems, error.problem]);
      throw error;
    }
  }

  #convert(node: unknown, path: Path): Tree {
    if (path.length > MAX_DEPTH) throw new Unbuildable(deepProblem(this.#file));
    this.#count(1);
    if (isAlias(node)) return this.#aliased(node.source, node, path);
    const before = this.#values;
    const tree = this.#written(node, path);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) {
      // known only from here on, so that an alias inside of its own anchor finds nothing
      this.#anchors.set(anchor, { tree, values: this.#values - before + 1 });
    }
    return tree;
  }

  #written(node: unknown, path: Path): Tree {
    const at = this.#at(node);
    if (isMap(node)) return { kind: 'mapping', at, entries: this.#entries(node.items, path) };
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.#convert(item, [...path, index]));
      return { kind: 'sequence', at, items };
    }
    if (!isScalar(node)) return { kind: 'scalar', at, value: null, source: '', secret: false };
    const source = node.source ?? String(node.value);
    const value =
      typeof node.value === 'number' && !PLAIN_NUMBER.test(source) ? source : node.value;
    // the core schema knows no other kinds than these
    return { kind: 'scalar', at, value: value as Scalar['value'], source, secret: false };
  }

  #entries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    path: Path,
  ): ReadonlyMap<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const pair of pairs) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const at = this.#at(pair.key);
      const first = entries.get(key);
      if (first !== undefined) {
        const got = `a second one (the first is in line ${first.at.line})`;
        this.#problems.push(problemAt(at, [...path, key], { expected: 'each key once', got }));
        continue;
      }
      entries.set(key, { at, value: this.#convert(pair.value, [...path, key]) });
    }
    return entries;
  }

  #aliased(anchor: string, node: unknown, path: Path): Tree {
    const found = this.#anchors.get(anchor);
    if (found === undefined) {
      const text = { expected: 'an alias of an anchor that stands before it', got: quote(anchor) };
      throw new Unbuildable(problemAt(this.#at(node), path, text));
    }
    this.#count(found.values);
    return found.tree;
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > MAX_VALUES) {
      const expected = `at most ${MAX_VALUES} values with every alias written out`;
      throw new Unbuildable(wholeFileProblem(this.#file, expected, 'more'));
    }
  }

  #at(node: unknown): { file: string; line: number | undefined } {
    const range = (node as { range?: readonly number[] | null } | null)?.range;
    const offset = range?.[0];
    const line = offset === undefined ? undefined : this.#lines.linePos(offset).line;
    return { file: this.#file, line };
  }
}

function bad(problems: readonly ConfigProblem[]): BuiltTree {
  return { kind: 'bad', problems };
}
