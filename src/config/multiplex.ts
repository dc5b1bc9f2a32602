import type { Account } from '../core/account.js';
import type { GatewayPlace } from '../core/moves.js';
import { DEFAULT_PROFILE } from '../core/names.js';
import { type ReadProfile, refuseProfile } from './load-profile.js';
import type { ConfigProblem, HostConfig, LoadedConfig, ProfileConfig } from './model.js';
import type { Environment } from './paths.js';
import { problemAt } from './problems.js';
import { type Path, placeOf } from './tree.js';

export const MULTIPLEX_VARIABLE = 'GATEWAY_MULTIPLEX_PROFILES';

const TRUTHY: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const FALSY: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** The environment beats the file; what is neither yes nor no says nothing (spec/supervision.md 4.1). */
export function withMultiplexOverride(host: HostConfig, env: Environment): HostConfig {
  const word = env[MULTIPLEX_VARIABLE]?.trim().toLowerCase() ?? '';
  if (!TRUTHY.has(word) && !FALSY.has(word)) return host;
  return { ...host, gateway: { ...host.gateway, multiplexProfiles: TRUTHY.has(word) } };
}

/**
 * Makes bad what the default profile's gateway would have to serve and cannot: one process has one
 * address and one account. Everything that is in the way is told, and nobody else is touched.
 */
export function refuseUnservable(reads: readonly ReadProfile[], host: HostConfig): ReadProfile[] {
  const server = serverAmong(reads.map(({ profile }) => profile));
  if (server === undefined) return [...reads];
  return reads.map((read) => {
    const { profile } = read;
    if (profile.kind === 'bad' || !isWanted(profile.config, host)) return read;
    return obstacles(read, profile.config, server).reduce(refuseProfile, read);
  });
}

/** Where each good profile belongs; one that is bad, or not to run, stays where it is. */
export function placeGateways({ host, profiles }: LoadedConfig): Map<string, GatewayPlace> {
  const loaded = [...profiles.values()];
  const hasServer = serverAmong(loaded) !== undefined;
  return new Map(
    loaded.flatMap((profile) => {
      if (profile.kind === 'bad') return [];
      const isServed = hasServer && isWanted(profile.config, host);
      return [[profile.name, isServed ? 'served' : 'own'] as const];
    }),
  );
}

/** Whom a profile's process serves besides it; undefined: it shares its process with nobody. */
export function guestsOf({ name }: ProfileConfig, all: LoadedConfig): ProfileConfig[] | undefined {
  if (name !== DEFAULT_PROFILE || !all.host.gateway.multiplexProfiles) return undefined;
  const places = placeGateways(all);
  return [...all.profiles.values()].flatMap((loaded) =>
    loaded.kind === 'good' && places.get(loaded.name) === 'served' ? [loaded.config] : [],
  );
}

/** The configuration in force, but with the place that a newer one gives to this profile. */
export function withPlaceOf(
  name: string,
  current: LoadedConfig,
  fresh: LoadedConfig,
): LoadedConfig {
  const { gateway } = current.host;
  const { multiplexAllowlist: list, multiplexProfiles } = fresh.host.gateway;
  if (!gateway.multiplexProfiles || !multiplexProfiles) return current;
  const isAllowed = list?.includes(name) ?? true;
  if (isAllowed && gateway.multiplexAllowlist === undefined) return current;
  const present = gateway.multiplexAllowlist ?? [...current.profiles.keys()];
  if (isAllowed === present.includes(name)) return current;
  const multiplexAllowlist = isAllowed ? [...present, name] : present.filter((one) => one !== name);
  return { ...current, host: { ...current.host, gateway: { ...gateway, multiplexAllowlist } } };
}

/** Those that are allowed to share the process of `default` and cannot. */
export function unservable({ host, profiles }: LoadedConfig): BadProfile[] {
  const { multiplexAllowlist, multiplexProfiles } = host.gateway;
  if (!multiplexProfiles) return [];
  return [...profiles.values()].filter(
    (loaded): loaded is BadProfile =>
      loaded.kind === 'bad' && (multiplexAllowlist?.includes(loaded.name) ?? true),
  );
}

type BadProfile = Extract<Loaded, { kind: 'bad' }>;

/** What is odd about the switch and its list. */
export function multiplexNotices({ host, profiles }: LoadedConfig): string[] {
  const { multiplexAllowlist = [], multiplexProfiles } = host.gateway;
  if (!multiplexProfiles) return [];
  const unknown = multiplexAllowlist.filter((name) => !profiles.has(name));
  const notices = unknown.map(
    (name) => `gateway.multiplex_profile_allowlist names ${name}, and there is no such profile`,
  );
  if (serverAmong([...profiles.values()]) !== undefined) return notices;
  const why = `expected profile ${DEFAULT_PROFILE} to be a built-in gateway that is enabled and without faults`;
  return [...notices, `gateway.multiplex_profiles has no effect: ${why}`];
}

type Loaded = ReadProfile['profile'];

function serverAmong(profiles: readonly Loaded[]): ProfileConfig | undefined {
  const found = profiles.find(({ name }) => name === DEFAULT_PROFILE);
  if (found?.kind !== 'good' || !found.config.enabled) return undefined;
  return found.config.command === undefined ? found.config : undefined;
}

/** A `command:` profile is another program: nobody can serve it. */
function isWanted({ name, enabled, command }: ProfileConfig, { gateway }: HostConfig): boolean {
  if (!gateway.multiplexProfiles || name === DEFAULT_PROFILE) return false;
  if (!enabled || command !== undefined) return false;
  return gateway.multiplexAllowlist?.includes(name) ?? true;
}

const ELSEWHERE = 'or take it out of gateway.multiplex_profile_allowlist';

function obstacles(
  { tree }: ReadProfile,
  config: ProfileConfig,
  server: ProfileConfig,
): ConfigProblem[] {
  const tell = (path: Path, text: Parameters<typeof problemAt>[2]) =>
    problemAt(placeOf(tree, path), path, text);
  const problems: ConfigProblem[] = [];
  if (config.platforms.apiServer !== undefined) {
    problems.push(
      tell(['platforms', 'api_server', 'enabled'], {
        expected: `false, because the gateway of ${server.name} serves this profile and binds the only port`,
        got: 'true',
        hint: `its API is then under /p/${config.name}/ at that port, with its own key; ${ELSEWHERE}`,
      }),
    );
  }
  if (!isSameAccount(config.account, server.account)) {
    problems.push(
      tell(['user'], {
        expected: `the account of profile ${server.name}, whose gateway serves this profile`,
        got: 'another one',
        hint: `give both the same user, ${ELSEWHERE}`,
      }),
    );
  }
  return problems;
}

function isSameAccount(one: Account | undefined, other: Account | undefined): boolean {
  return one?.uid === other?.uid && one?.gid === other?.gid;
}
