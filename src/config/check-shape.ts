import * as z from 'zod/mini';
import type { ConfigProblem } from './model.js';
import { nearest } from './nearest.js';
import { describeGot, problemAt } from './problems.js';
import { DRIVERS_TO_COME } from './schema/agent.js';
import { type Mapping, type Path, placeOf, type Tree, toPlain, valueAt, without } from './tree.js';

export interface Shape<Value> {
  /** what fits; the top-level keys that hold problems are left out of it */
  readonly value: Value;
  readonly problems: readonly ConfigProblem[];
}

/** Says of a finding that it is told elsewhere or by somebody else. */
export type IsIgnored = (path: Path, value: Tree | undefined) => boolean;

/** Checks a tree against a closed schema and tells every problem at the place where it stands. */
export function checkShape<Value>(
  schema: z.ZodMiniType<Value>,
  tree: Mapping,
  isIgnored: IsIgnored = () => false,
): Shape<Value> {
  const result = schema.safeParse(toPlain(tree));
  if (result.success) return { value: result.data, problems: [] };
  const { issues } = result.error;
  const problems = issues.flatMap((issue) => toProblems(issue, [], { schema, tree, isIgnored }));
  const failing = issues.flatMap((issue) =>
    issue.path.length > 0
      ? [String(issue.path[0])]
      : issue.code === 'unrecognized_keys'
        ? issue.keys
        : [],
  );
  // what is left is valid by itself: every top-level key is optional
  return { value: schema.parse(toPlain(without(tree, failing))), problems };
}

interface Checked {
  readonly schema: z.core.$ZodType;
  readonly tree: Mapping;
  readonly isIgnored: IsIgnored;
}

function toProblems(issue: z.core.$ZodIssue, above: Path, checked: Checked): ConfigProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(path, key, checked));
  }
  const value = valueAt(checked.tree, path);
  if (checked.isIgnored(path, value)) return [];
  if (issue.code === 'invalid_union') {
    // where a mapping came, the branch that takes mappings knows best what is wrong in it
    const branch = issue.errors.at(-1) ?? [];
    if (value?.kind === 'mapping' && branch.length > 0) {
      return branch.flatMap((inner) => toProblems(inner as z.core.$ZodIssue, path, checked));
    }
  }
  if (issue.code === 'invalid_key') {
    return [shapeProblem(checked.tree, path, issue.issues[0]?.message ?? issue.message)];
  }
  return [shapeProblem(checked.tree, path, issue.message)];
}

function shapeProblem(tree: Mapping, path: Path, expected: string): ConfigProblem {
  const value = valueAt(tree, path);
  const got = describeGot(value, path);
  return problemAt(placeOf(tree, path), path, { expected, got, hint: hintFor(value, path) });
}

/** Advice for what people write most often instead. */
function hintFor(value: Tree | undefined, path: Path): string | undefined {
  if (value?.kind !== 'scalar') return undefined;
  if (value.value === null) return 'give it a value, or remove the key to use the default';
  const text = String(value.value);
  if (path.at(-1) === 'driver' && DRIVERS_TO_COME.includes(text)) {
    return `this version does not have ${text} yet`;
  }
  if (typeof value.value === 'string') {
    if (/^(?:yes|no|on|off)$/i.test(text)) return 'write true or false';
    if (/^[-+]?\d+(?:\.\d+)?$/.test(text) && !value.secret) return 'numbers stand without quotes';
    return undefined;
  }
  return path.at(-1) === 'driver' ? undefined : 'text that looks like something else needs quotes';
}

function unknownKey(path: Path, key: string, { schema, tree }: Checked): ConfigProblem {
  const known = keysOf(schema, path, tree);
  const guess = nearest(key, known);
  const hint = guess === undefined ? `known here: ${known.join(', ')}` : `did you mean ${guess}?`;
  return problemAt(placeOf(tree, [...path, key]), [...path, key], {
    expected: 'a known key',
    got: 'one that does not exist',
    hint,
  });
}

/** The keys that a schema allows at a path, given what the tree chose there. */
function keysOf(schema: z.core.$ZodType, path: Path, tree: Mapping): string[] {
  let current: z.core.$ZodType | undefined = schema;
  let value: Tree | undefined = tree;
  for (const step of path) {
    current = shapeOf(current, value)[String(step)];
    value = value === undefined ? undefined : valueAt(value, [step]);
  }
  return Object.keys(shapeOf(current, value));
}

function shapeOf(
  schema: z.core.$ZodType | undefined,
  value: Tree | undefined,
): Readonly<Record<string, z.core.$ZodType>> {
  if (schema instanceof z.core.$ZodOptional) return shapeOf(schema._zod.def.innerType, value);
  if (schema instanceof z.core.$ZodObject) return schema._zod.def.shape;
  if (schema instanceof z.core.$ZodUnion) {
    const options = schema._zod.def.options.map(
      (option) => [option, shapeOf(option, value)] as const,
    );
    const fitting = options.find(([, shape]) => isChosen(shape, value));
    return fitting?.[1] ?? Object.assign({}, ...options.map(([, shape]) => shape));
  }
  return {};
}

/** A branch whose `driver` is the one that the file names. */
function isChosen(shape: Readonly<Record<string, z.core.$ZodType>>, value: Tree | undefined) {
  const chosen = value === undefined ? undefined : valueAt(value, ['driver']);
  const driver = shape['driver'];
  return (
    chosen?.kind === 'scalar' && driver !== undefined && z.safeParse(driver, chosen.value).success
  );
}
