import * as z from 'zod/mini';
import type { ConfigProblem } from './model.js';
import { nearest } from './nearest.js';
import { describeGot, problemAt } from './problems.js';
import { DRIVERS_TO_COME } from './schema/agent.js';
import {
  type Mapping,
  type Path,
  placeOf,
  type Tree,
  toPlain,
  valueAt,
  withoutPaths,
} from './tree.js';

/** A schema that is used a few times is slower when zod compiles it first. */
const NO_CODE_GENERATION = { jitless: true };

export interface Shape<Value> {
  /** what fits; sections that hold problems are left out of it */
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
  const result = schema.safeParse(toPlain(tree), NO_CODE_GENERATION);
  if (result.success) return { value: result.data, problems: [] };
  const { issues } = result.error;
  const problems = issues.flatMap((issue) => toProblems(issue, [], { schema, tree, isIgnored }));
  return { value: fittingPart(schema, tree, issues), problems };
}

/** The tree without its faulty sections, so that contradictions in the rest are told too. */
function fittingPart<Value>(
  schema: z.ZodMiniType<Value>,
  tree: Mapping,
  issues: readonly z.core.$ZodIssue[],
): Value {
  const faulty = issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [sectionOf(issue.path)];
    return issue.keys.map((key) => [...issue.path, key]);
  });
  const rest = schema.safeParse(toPlain(withoutPaths(tree, faulty)), NO_CODE_GENERATION);
  return rest.success ? rest.data : schema.parse({});
}

/** What is left out with a faulty value: `platforms.api_server`, `supervisor.log`, `restart`. */
function sectionOf(path: Path): Path {
  return path.slice(0, path[0] === 'platforms' || path[0] === 'supervisor' ? 2 : 1);
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
  return problemAt(placeOf(tree, path), path, {
    expected,
    got,
    hint: hintFor(value, path, expected),
  });
}

/** Advice for what people write most often instead. */
function hintFor(value: Tree | undefined, path: Path, expected: string): string | undefined {
  if (value?.kind !== 'scalar') return undefined;
  if (value.value === null) return 'give it a value, or remove the key to use the default';
  const text = String(value.value);
  if (path.at(-1) === 'driver' && DRIVERS_TO_COME.includes(text)) {
    return `this version does not have ${text} yet`;
  }
  if (typeof value.value === 'string') {
    return value.secret ? undefined : hintForText(text, expected);
  }
  // a number where one is wanted is merely the wrong one
  const isWanted = typeof value.value === 'number' && /number|size/.test(expected);
  if (isWanted || path.at(-1) === 'driver') return undefined;
  return 'text that looks like something else needs quotes';
}

function hintForText(text: string, expected: string): string | undefined {
  if (/^(?:yes|no|on|off)$/i.test(text)) {
    return expected === 'true or false' ? 'YAML has no other words for them' : undefined;
  }
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return 'numbers stand without quotes';
  if (/^[-+]?(?:\.(?:inf|nan)|0[xo]?[\da-f]+)$/i.test(text)) return 'write plain decimal numbers';
  const [, amount, unit] = /^(\d+) ?([KMGT])i?B?$/i.exec(text) ?? [];
  return unit === undefined ? undefined : `write ${amount}${unit.toUpperCase()}iB`;
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

/** Told apart by `type`, not by class: naming the classes would pull all of zod into the bundle. */
type KnownDef = z.core.$ZodOptionalDef | z.core.$ZodObjectDef | z.core.$ZodUnionDef;

function shapeOf(
  schema: z.core.$ZodType | undefined,
  value: Tree | undefined,
): Readonly<Record<string, z.core.$ZodType>> {
  if (schema === undefined) return {};
  const def = schema._zod.def as KnownDef;
  switch (def.type) {
    case 'optional':
      return shapeOf(def.innerType, value);
    case 'object':
      return def.shape;
    case 'union': {
      const shapes = def.options.map((option) => shapeOf(option, value));
      return shapes.find((shape) => isChosen(shape, value)) ?? Object.assign({}, ...shapes);
    }
    default:
      // a leaf, which has no keys
      return {};
  }
}

/** A branch whose `driver` is the one that the file names. */
function isChosen(shape: Readonly<Record<string, z.core.$ZodType>>, value: Tree | undefined) {
  const chosen = value === undefined ? undefined : valueAt(value, ['driver']);
  const driver = shape['driver'];
  return (
    chosen?.kind === 'scalar' && driver !== undefined && z.safeParse(driver, chosen.value).success
  );
}
