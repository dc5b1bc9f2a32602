import { join } from 'node:path';
import { buildService } from '../../../units/build-service.js';
import type { GeneratedFile } from '../../../units/generated-file.js';
import { homeFiles } from '../../../units/home-files.js';
import type { S6Shell } from '../../../units/s6/render.js';
import { NO_LIMITS, type Service, type Subject } from '../../../units/service.js';
import { renderEntry } from '../../../units/unit-files.js';
import { loadConfig } from '../../config/index.js';
import type { LoadedConfig } from '../../config/model.js';
import type { Environment } from '../../config/paths.js';
import { packageFile } from '../../core/package-root.js';
import { serviceBudgets } from './budgets.js';
import type { Target } from './target.js';

/** What a target comes to on the disk. */
export interface Wanted {
  readonly entries: readonly WantedEntry[];
  /** in the home: what all of its units need */
  readonly homeFiles: readonly GeneratedFile[];
}

export interface WantedEntry {
  readonly name: string;
  readonly service: Service;
  /** absolute paths */
  readonly files: readonly GeneratedFile[];
}

/** @throws GatewardenError config-invalid, home-missing, unit-value-refused */
export function wantedUnits(target: Target, env: Environment, shell: S6Shell): Wanted {
  const config = loadConfig(target.home, env);
  const entries = target.subjects.map((subject) => {
    const service = serviceOf(subject, target, config);
    const { name, files } = renderEntry(service, { ...target, shell });
    return {
      name,
      service,
      files: files.map((file) => ({ ...file, path: join(target.folder, file.path) })),
    };
  });
  const facts = { entry: packageFile('bin', 'gatewarden.js'), node: process.execPath };
  return { entries, homeFiles: homeFiles(target.home, facts) };
}

function serviceOf(subject: Subject, target: Target, config: LoadedConfig): Service {
  return buildService({
    ...target,
    subject,
    budgets: serviceBudgets(subject, config),
    limits: limitsOf(subject, config),
  });
}

/** The supervisor sets those of its profiles itself, each in a cgroup of its own. */
function limitsOf(subject: Subject, config: LoadedConfig) {
  if (subject.kind === 'supervisor') return NO_LIMITS;
  const profile = config.profiles.get(subject.profile);
  return profile?.kind === 'good' ? profile.config.limits : NO_LIMITS;
}
