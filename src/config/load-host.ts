import { checkShape, type IsIgnored, type Shape } from './check-shape.js';
import { hostContradictions } from './host-contradictions.js';
import { interpolate } from './interpolate.js';
import { mergeMappings } from './merge.js';
import type { ConfigProblem, HostConfig } from './model.js';
import { parseYaml } from './parse-yaml.js';
import type { HomeLayout } from './paths.js';
import { dotted, inReadingOrder } from './problems.js';
import { readSource } from './read-source.js';
import { resolveHost } from './resolve-host.js';
import type { StormFile } from './resolve-profile.js';
import { type HostFile, hostSchema } from './schema/host.js';
import { loadScope } from './secret-scope.js';
import {
  emptyMapping,
  type Mapping,
  mappingAt,
  movedFrom,
  type Path,
  type Tree,
  without,
} from './tree.js';

export interface LoadedHost {
  readonly config: HostConfig;
  readonly storm: StormFile;
  /** what every profile inherits: `supervisor.restart` and, over it, `defaults` */
  readonly inherited: Mapping;
  readonly problems: readonly ConfigProblem[];
  readonly sources: readonly string[];
}

/** Reads the host file; absent means that everything is left to the defaults. */
export function loadHost(layout: HomeLayout): LoadedHost {
  const source = readSource(layout.configFile);
  const parsed = source.kind === 'text' ? parseYaml(layout.configFile, source.text) : undefined;
  const problems: ConfigProblem[] = [];
  if (source.kind === 'fault') problems.push(source.problem);
  if (parsed?.kind === 'bad') problems.push(...parsed.problems);
  const raw = parsed?.kind === 'tree' ? parsed.tree : emptyMapping(layout.configFile);
  const host = checkHost(raw, layout);
  return {
    config: resolveHost(host.file),
    storm: host.file.supervisor?.storm,
    inherited: inheritedBy(raw),
    problems: inReadingOrder([...problems, ...host.problems]),
    sources: [layout.configFile, layout.envFile],
  };
}

function checkHost(raw: Mapping, layout: HomeLayout) {
  const { scope, problems: scopeProblems } = loadScope({
    owner: 'the host',
    envFile: layout.envFile,
    extraFiles: [],
  });
  // a reference in `defaults` is resolved by each profile in its own scope
  const own = interpolate(without(raw, ['defaults']), scope);
  const tree = own.tree as Mapping;
  const unresolved = new Set(own.problems.map((problem) => problem.key));
  const shape = checkHostShape(tree, (path) => unresolved.has(dotted(path)));
  const defaults = raw.entries.get('defaults');
  const entries = new Map(defaults === undefined ? [] : [['defaults', defaults]]);
  const defaultsShape = checkHostShape({ ...raw, entries }, isLeftToProfiles);
  return {
    file: shape.value,
    problems: [
      ...scopeProblems,
      ...own.problems,
      ...shape.problems,
      ...defaultsShape.problems,
      ...hostContradictions(shape.value, tree),
    ],
  };
}

/** Most hosts say nothing: then the schema need not even be built. */
function checkHostShape(tree: Mapping, isIgnored: IsIgnored): Shape<HostFile> {
  if (tree.entries.size === 0) return { value: {}, problems: [] };
  return checkShape(hostSchema(), tree, isIgnored);
}

/** What a profile may still complete, or resolve with its own secrets. */
function isLeftToProfiles(_path: Path, value: Tree | undefined): boolean {
  if (value === undefined) return true;
  return value.kind === 'scalar' && String(value.value).includes('${');
}

function inheritedBy(raw: Mapping): Mapping {
  const restart = mappingAt(raw, ['supervisor', 'restart']);
  const defaults = mappingAt(raw, ['defaults']) ?? emptyMapping(raw.at.file);
  const under = movedFrom(defaults, 'defaults');
  if (restart === undefined) return under;
  const entry = { at: restart.at, value: restart };
  const below: Mapping = { ...raw, entries: new Map([['restart', entry]]) };
  return mergeMappings(movedFrom(below, 'supervisor'), under);
}
