import * as z from 'zod/mini';
import { hostSchema } from './schema/host.js';
import { profileSchema } from './schema/profile.js';

/** Which of the two files a key belongs to. */
export type ConfigFileKind = 'host' | 'profile';

export interface KeyExplanation {
  readonly key: string;
  readonly file: ConfigFileKind;
  readonly description: string;
  /** `true or false`, `a number from 0 to 1`, `one of echo, openai, command` */
  readonly type: string;
  /** undefined: there is none, or the description tells it; by driver where they differ */
  readonly byDefault: unknown;
  readonly example: unknown;
  /** only with these values of `driver` */
  readonly drivers: readonly string[];
}

/** The file's JSON Schema (draft 2020-12), for editors. */
export function configJsonSchema(kind: ConfigFileKind): Record<string, unknown> {
  const schema = kind === 'host' ? hostSchema() : profileSchema();
  return { title: `gatewarden ${kind} configuration`, ...rawSchema(schema) };
}

/** Every key of both files, dotted, parents before their children; `defaults` holds any profile key. */
export function knownKeys(): string[] {
  return [...new Set([...keysOf('host'), ...keysOf('profile')].map(({ key }) => key))];
}

/** What a key means; undefined when it does not exist. `defaults.x` is explained as `x`. */
export function explainKey(dottedKey: string): KeyExplanation | undefined {
  const inherited = /^defaults\.(.+)$/.exec(dottedKey)?.[1];
  const wanted = inherited ?? dottedKey;
  const kinds: readonly ConfigFileKind[] =
    inherited === undefined ? ['host', 'profile'] : ['profile'];
  for (const kind of kinds) {
    const found = keysOf(kind).filter(({ key }) => key === wanted);
    const [first] = found;
    if (first === undefined) continue;
    return {
      ...explain(found, first),
      key: dottedKey,
      file: inherited === undefined ? kind : 'host',
    };
  }
  return undefined;
}

/** One key may mean something else with each driver: then each meaning is told. */
function explain(found: readonly FoundKey[], first: FoundKey) {
  const words = found.map(({ node }) => node.const).filter((word) => word !== undefined);
  const isChoice = words.length > 1;
  const types = [...new Set(found.map(({ node }) => typeOf(node)))];
  const texts = [...new Set(found.map(({ node }) => node.description ?? ''))];
  const defaults = new Set(found.map(({ node }) => node.default));
  return {
    description: texts.join('; or '),
    type: isChoice ? `one of ${words.join(', ')}` : types.join(', or '),
    byDefault:
      defaults.size === 1
        ? first.node.default
        : Object.fromEntries(found.map(({ driver, node }) => [driver, node.default])),
    example: first.node.examples?.[0],
    drivers: isChoice ? [] : found.flatMap(({ driver }) => driver ?? []),
  };
}

/** The part of a JSON Schema node that is read here. */
interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
}

interface FoundKey {
  readonly key: string;
  readonly node: SchemaNode;
  readonly driver: string | undefined;
}

function rawSchema(schema: z.core.$ZodType): SchemaNode & Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' }) as SchemaNode & Record<string, unknown>;
}

/** The schemas are constant, and slow to walk. */
const foundKeys = new Map<ConfigFileKind, readonly FoundKey[]>();

function keysOf(kind: ConfigFileKind): readonly FoundKey[] {
  const known = foundKeys.get(kind);
  if (known !== undefined) return known;
  const found = below(rawSchema(kind === 'host' ? hostSchema() : profileSchema()), '', undefined);
  foundKeys.set(kind, found);
  return found;
}

function below(node: SchemaNode, prefix: string, driver: string | undefined): FoundKey[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    // what `defaults` may hold is listed once, as the profile's own keys
    const inner = key === 'defaults' ? [] : below(child, key, driver);
    return [{ key, node: child, driver }, ...inner];
  });
  const branches = [...(node.oneOf ?? []), ...(node.anyOf ?? [])].flatMap((branch) => {
    const word = branch.properties?.['driver']?.const;
    return below(branch, prefix, typeof word === 'string' ? word : driver);
  });
  return [...own, ...branches];
}

function typeOf(node: SchemaNode): string {
  if (node.const !== undefined) return String(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  const branches = [...(node.oneOf ?? []), ...(node.anyOf ?? [])];
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(', or ');
  switch (node.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number${rangeOf(node)}`;
    case 'number':
      return `a number${rangeOf(node)}`;
    case 'array':
      return 'a list of texts';
    case 'object':
      return 'a mapping';
    default:
      return 'text';
  }
}

function rangeOf({ minimum, maximum }: SchemaNode): string {
  return minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
}
