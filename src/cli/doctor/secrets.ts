import { statSync } from 'node:fs';
import type { LoadedConfig, ProfileConfig } from '../../config/model.js';
import { canBeReadBy, GROUP_AND_OTHERS } from '../../config/open-file.js';
import { profileLayout } from '../../config/paths.js';
import { Secret } from '../../core/secret.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** A .env that others can read gives every secret of its profile away. */
export function checkEnvFiles({ home, names }: DoctorFacts): CheckResult {
  const files = names.flatMap((name) => {
    const { envFile } = profileLayout(home, name);
    const stats = statSync(envFile, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ envFile, mode: stats.mode & 0o777 }];
  });
  const findings = files.map(({ envFile, mode }): Finding | undefined =>
    canBeReadBy(GROUP_AND_OTHERS, { path: envFile, mode })
      ? {
          what: `${envFile} can be read by others (mode ${mode.toString(8).padStart(4, '0')})`,
          remedy: `chmod 600 ${envFile}`,
        }
      : undefined,
  );
  return found('secrets', `${files.length} .env file${files.length === 1 ? '' : 's'}`, findings);
}

/** Two profiles with one bot token steal each other's messages (field case A12). */
export function checkTokens({ config }: DoctorFacts): CheckResult {
  if (config === undefined) return fine('tokens', 'not checked: there is no configuration to read');
  const findings = findCollisions(credentialsOf(config));
  return found('tokens', 'no credential serves two profiles', findings);
}

export interface Credential {
  readonly profile: string;
  /** `platforms.api_server.key`, `env.BOT_TOKEN` */
  readonly key: string;
  readonly secret: Secret;
}

/** Never shows the value: only where it stands. */
export function findCollisions(credentials: readonly Credential[]): Finding[] {
  const owners = new Map<string, Credential[]>();
  for (const credential of credentials) {
    const sameValue = owners.get(credential.secret.reveal()) ?? [];
    owners.set(credential.secret.reveal(), [...sameValue, credential]);
  }
  return [...owners.values()]
    .filter((same) => new Set(same.map((one) => one.profile)).size > 1)
    .map((same) => ({
      what: `the same secret is ${same.map((one) => `${one.key} of ${one.profile}`).join(' and ')}`,
      remedy: 'give each profile a credential of its own',
    }));
}

function credentialsOf(config: LoadedConfig): readonly Credential[] {
  return [...config.profiles.values()].flatMap((profile) =>
    profile.kind === 'good' && profile.config.enabled ? ofProfile(profile.config) : [],
  );
}

/** Model keys may be shared; what a platform knows one client by may not. */
function ofProfile({ env, name, platforms }: ProfileConfig): readonly Credential[] {
  const key = platforms.apiServer?.key;
  return [
    ...(key === undefined ? [] : [{ profile: name, key: 'platforms.api_server.key', secret: key }]),
    ...Object.entries(env).flatMap(([variable, value]) =>
      value instanceof Secret && /TOKEN$/i.test(variable)
        ? [{ profile: name, key: `env.${variable}`, secret: value }]
        : [],
    ),
  ];
}
