import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { homeLayout, profileLayout } from '../../config/paths.js';
import { errnoOf } from '../../core/errors.js';
import { formatBytes } from '../render/units.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** Less than this and the databases and logs will soon fail. */
const MIN_FREE_BYTES = 200 * 1024 * 1024;
const MIN_FREE_INODES = 1000;

/** Readable and writable, the home and everything of ours in it. Creates nothing. */
export function checkHome({ home, names }: DoctorFacts): CheckResult {
  if (statSync(home, { throwIfNoEntry: false }) === undefined) {
    return found('home', `${home} does not exist`, [
      { what: `there is no home at ${home}`, remedy: 'write a starter home with: gatewarden init' },
    ]);
  }
  const layout = homeLayout(home);
  const directories = [
    home,
    layout.stateDir,
    layout.logsDir,
    ...names.flatMap((name) => {
      const profile = profileLayout(home, name);
      return [profile.directory, profile.stateDir];
    }),
  ];
  return found('home', home, directories.map(accessFinding));
}

function accessFinding(directory: string): Finding | undefined {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (thrown) {
    const errno = errnoOf(thrown);
    // what does not exist yet is made at the start
    if (errno === 'ENOENT') return undefined;
    return {
      what: `${directory} cannot be read and written (${errno ?? 'unknown'})`,
      remedy:
        errno === 'EROFS'
          ? 'mount its file system writable, or choose another home with --home'
          : `give it to the user that runs gatewarden: chown -R USER ${directory}`,
    };
  }
}

export function checkDisk({ home }: DoctorFacts): CheckResult {
  let stats: ReturnType<typeof statfsSync>;
  try {
    stats = statfsSync(home);
  } catch {
    return fine('disk', 'not checked: there is no home');
  }
  const freeBytes = stats.bavail * stats.bsize;
  return found(
    'disk',
    `${formatBytes(freeBytes)} free`,
    judgeDisk(freeBytes, stats.ffree, stats.files),
  );
}

/** File systems without a fixed number of inodes report 0 of 0. */
export function judgeDisk(freeBytes: number, freeInodes: number, inodes: number): Finding[] {
  const findings: Finding[] = [];
  if (freeBytes < MIN_FREE_BYTES) {
    findings.push({
      what: `only ${formatBytes(freeBytes)} are free where the home is`,
      remedy: `free at least ${formatBytes(MIN_FREE_BYTES)}: history and logs fail on a full disk`,
    });
  }
  if (inodes > 0 && freeInodes < MIN_FREE_INODES) {
    findings.push({
      what: `only ${freeInodes} inodes are free where the home is`,
      remedy: 'remove files that are not needed: no new file can be made soon',
    });
  }
  return findings;
}
