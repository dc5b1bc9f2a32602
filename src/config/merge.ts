import { type Entry, type Mapping, mappingAt, type Tree, valueAt, without } from './tree.js';

/** Programs of its own instead of an agent and platforms, and the other way round. */
const PROGRAM_KEYS = ['command', 'cwd', 'ready'];
const BUILT_IN_KEYS = ['agent', 'platforms'];

/**
 * The host's `defaults` under a profile: mappings are merged key by key, lists and single
 * values replaced. Defaults that speak of another kind of profile, driver or readiness than
 * the profile chose do not apply to it.
 */
export function mergeDefaults(defaults: Mapping, profile: Mapping): Mapping {
  return mergeMappings(applicable(defaults, profile), profile);
}

function applicable(defaults: Mapping, profile: Mapping): Mapping {
  const dropped = ['ready'].filter((key) => profile.entries.has(key));
  if (profile.entries.has('command')) dropped.push(...BUILT_IN_KEYS);
  else if (BUILT_IN_KEYS.some((key) => profile.entries.has(key))) dropped.push(...PROGRAM_KEYS);
  if (choosesOtherDriver(defaults, profile)) dropped.push('agent');
  return without(defaults, dropped);
}

function choosesOtherDriver(defaults: Mapping, profile: Mapping): boolean {
  const wanted = driverOf(profile);
  return wanted !== undefined && wanted !== driverOf(defaults);
}

function driverOf(tree: Mapping): unknown {
  const agent = mappingAt(tree, ['agent']);
  const driver = agent === undefined ? undefined : valueAt(agent, ['driver']);
  return driver?.kind === 'scalar' ? driver.value : undefined;
}

export function mergeMappings(under: Mapping, over: Mapping): Mapping {
  const entries = new Map<string, Entry>(under.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    entries.set(key, below === undefined ? entry : mergeEntries(below, entry));
  }
  return { kind: 'mapping', at: over.at, entries };
}

function mergeEntries(under: Entry, over: Entry): Entry {
  const value: Tree =
    under.value.kind === 'mapping' && over.value.kind === 'mapping'
      ? mergeMappings(under.value, over.value)
      : over.value;
  return { at: over.at, value };
}
