import { messageOf } from '../../core/errors.js';
import { packageVersion } from '../../core/version.js';
import { type CheckResult, type DoctorFacts, fine, found } from './finding.js';

export function checkNode(): CheckResult {
  // an older Node never gets here: bin/gatewarden.js refuses it
  return fine('node', `${process.versions.node}, ${process.platform} ${process.arch}`);
}

/** The database is a native addon: an upgrade of Node may leave it unloadable. */
export async function checkDatabase(): Promise<CheckResult> {
  try {
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(':memory:');
    const row = db.prepare('SELECT sqlite_version() AS version').get();
    db.close();
    return fine('database', `SQLite ${(row as { readonly version: string }).version} loads`);
  } catch (thrown) {
    return found('database', 'better-sqlite3 does not load', [
      {
        what: `better-sqlite3 does not load: ${messageOf(thrown).split('\n')[0] ?? ''}`,
        remedy: 'build it for this Node with: npm rebuild better-sqlite3',
      },
    ]);
  }
}

export function checkSupervisor({ reach }: DoctorFacts): CheckResult {
  if (reach.kind === 'none') return fine('supervisor', 'does not run');
  if (reach.kind === 'silent') {
    return found('supervisor', 'does not answer', [
      {
        what: `the supervisor (pid ${reach.pid ?? 'unknown'}) is there but does not answer`,
        remedy: 'look at gatewarden logs, then restart it through its manager',
      },
    ]);
  }
  const { supervisor } = reach.report;
  const wanted = packageVersion();
  return found(
    'supervisor',
    `pid ${supervisor.pid}, version ${supervisor.version}, ${supervisor.manager}`,
    [
      supervisor.version === wanted
        ? undefined
        : {
            what: `the running supervisor is version ${supervisor.version}, installed is ${wanted}`,
            remedy: 'take over with: gatewarden up --replace (or restart its unit)',
          },
      ...supervisor.notices.map((notice) => ({
        what: notice,
        remedy: 'look at gatewarden logs',
      })),
    ],
  );
}
