import { homeLayout } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { type CheckResult, type DoctorFacts, fine, found } from './finding.js';

export function checkConfiguration({ names, notices, problems }: DoctorFacts): CheckResult {
  const seen = `${names.length} profile${names.length === 1 ? '' : 's'}`;
  return found('configuration', seen, [
    ...notices.map((what) => ({ what, remedy: 'rename it, or move it out of profiles' })),
    ...problems.map(({ expected, file, got, hint, key, line }) => ({
      what: `${file}${line === undefined ? '' : `:${line}`}${key === '' ? '' : ` ${key}`}: expected ${expected}, got ${got}`,
      remedy: hint ?? `write ${expected}`,
    })),
  ]);
}

/** Read as `why` and `history` read it, without a lock and without writing. */
export async function checkStore({ home }: DoctorFacts): Promise<CheckResult> {
  const { readStoredState } = await import('../../store/index.js');
  try {
    const stored = readStoredState(homeLayout(home).supervisorDb);
    if (stored === undefined) return fine('history', 'none yet');
    return fine('history', `readable, ${stored.nextCursor - 1} events`);
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    return found('history', 'not readable', [{ what: thrown.message, remedy: thrown.next }]);
  }
}
