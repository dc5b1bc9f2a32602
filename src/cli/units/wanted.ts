import { join } from 'node:path';
import { buildService } from '../../../units/build-service.js';
import type { GeneratedFile } from '../../../units/generated-file.js';
import { homeFiles } from '../../../units/home-files.js';
import type { S6Shell } from '../../../units/s6/render.js';
import { NO_LIMITS, type Service, type Subject } from '../../../units/service.js';
import { renderEntry } from '../../../units/unit-files.js';
import { configInvalid } from '../../config/config-invalid.js';
import { loadConfig } from '../../config/index.js';
import type { LoadedConfig } from '../../config/model.js';
import { unservable } from '../../config/multiplex.js';
import type { Environment } from '../../config/paths.js';
import type { Account } from '../../core/account.js';
import { GatewardenError } from '../../core/errors.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import { packageFile } from '../../core/package-root.js';
import { unknownProfile } from '../unknown-profile.js';
import { serviceBudgets } from './budgets.js';
import type { Target } from './target.js';

/** What a target comes to on the disk. */
export interface Wanted {
  readonly entries: readonly WantedEntry[];
  /** in the home: what all of its units need */
  readonly homeFiles: readonly GeneratedFile[];
  /** profiles whose configuration cannot be read: the budget of a supervisor leaves them out */
  readonly unread: readonly string[];
}

export interface WantedEntry {
  readonly name: string;
  readonly service: Service;
  /** whom the profile's `user:` means; undefined: whoever the service belongs to */
  readonly account: Account | undefined;
  /** absolute paths */
  readonly files: readonly GeneratedFile[];
}

/** @throws GatewardenError config-invalid, unknown-profile, home-missing, unit-value-refused */
export function wantedUnits(target: Target, env: Environment, shell: S6Shell): Wanted {
  const config = loadConfig(target.home, env);
  const entries = target.subjects.map((subject) => {
    refuseUnreadable(subject, target.home, config);
    const account = accountOf(subject, target, config);
    const service = serviceOf(subject, target, { config, account });
    const { name, files } = renderEntry(service, { ...target, shell });
    return {
      name,
      service,
      account,
      files: files.map((file) => ({ ...file, path: join(target.folder, file.path) })),
    };
  });
  const facts = { entry: packageFile('bin', 'gatewarden.js'), node: process.execPath };
  const unread = [...config.profiles.values()].flatMap(({ kind, name }) =>
    kind === 'bad' ? [name] : [],
  );
  return { entries, homeFiles: homeFiles(target.home, facts), unread };
}

/**
 * What a bad configuration means to say is not known, and the defaults in its place would cut the
 * time of a service that runs with what was good.
 */
function refuseUnreadable(subject: Subject, home: string, config: LoadedConfig): void {
  if (subject.kind === 'supervisor') return;
  const { profile } = subject;
  const loaded = config.profiles.get(profile);
  if (loaded === undefined) throw unknownProfile(profile, home);
  const guests = loaded.name === DEFAULT_PROFILE ? unservable(config) : [];
  for (const one of [loaded, ...guests]) {
    if (one.kind === 'good') continue;
    throw configInvalid(one.problems);
  }
}

function serviceOf(
  subject: Subject,
  target: Target,
  { account, config }: { readonly account: Account | undefined; readonly config: LoadedConfig },
): Service {
  return buildService({
    ...target,
    // a slot is started as whoever runs s6-svscan, and the gateway gives root up by itself
    ...(account === undefined || target.manager === 's6'
      ? {}
      : { owner: account, mustBecomeOwner: true }),
    subject,
    budgets: serviceBudgets(subject, config),
    limits: limitsOf(subject, config),
  });
}

/** A manager of somebody's own starts nothing as anybody else. */
function accountOf(subject: Subject, { scope }: Target, { profiles }: LoadedConfig) {
  if (subject.kind === 'supervisor') return undefined;
  const profile = profiles.get(subject.profile);
  const account = profile?.kind === 'good' ? profile.config.account : undefined;
  if (account === undefined || scope === 'system') return account;
  throw new GatewardenError('account-unusable', {
    profile: subject.profile,
    account: account.name,
    reason: 'a unit in user scope runs as whoever owns it',
    hint: `install it as a unit of the host: --system, or as ${account.name}`,
  });
}

/** The supervisor sets those of its profiles itself, each in a cgroup of its own. */
function limitsOf(subject: Subject, config: LoadedConfig) {
  if (subject.kind === 'supervisor') return NO_LIMITS;
  const profile = config.profiles.get(subject.profile);
  return profile?.kind === 'good' ? profile.config.limits : NO_LIMITS;
}
