import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { controlSocketPath, localSocketPath, runtimeDirCandidates } from '../../config/paths.js';
import { type CheckResult, type DoctorFacts, type Finding, found } from './finding.js';

/** Somewhere the sockets must fit; a runtime directory of ours must be ours alone. */
export function checkSockets({ env, home, names, uid }: DoctorFacts): CheckResult {
  const candidates = runtimeDirCandidates(home, env, uid);
  const fitting = candidates.filter((directory) => fits(directory, names));
  const [best] = fitting;
  return found('sockets', best === undefined ? 'no path is short enough' : `in ${best}`, [
    best === undefined
      ? {
          what: `no directory for sockets has a path short enough: ${candidates.join(', ')}`,
          remedy: 'set XDG_RUNTIME_DIR to a short directory of your own',
        }
      : undefined,
    ...fitting.map((directory) => ownershipFinding(directory, uid)),
    ...fitting.map((directory) => ownershipFinding(dirname(directory), uid)),
    runtimeDirFinding(env.XDG_RUNTIME_DIR),
  ]);
}

function fits(directory: string, names: readonly string[]): boolean {
  try {
    controlSocketPath(directory);
    for (const name of names) localSocketPath(directory, name);
    return true;
  } catch {
    return false;
  }
}

/** In a directory of somebody else, or open to all, a stranger could answer in our place. */
function ownershipFinding(directory: string, uid: number): Finding | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined || !directory.includes('gatewarden')) return undefined;
  if (stats.uid !== uid && uid !== 0) {
    return {
      what: `${directory} belongs to user id ${stats.uid}, not to ${uid}`,
      remedy: `have it removed: rm -r ${directory}`,
    };
  }
  if ((stats.mode & 0o022) === 0) return undefined;
  return { what: `${directory} can be written by others`, remedy: `chmod 700 ${directory}` };
}

function runtimeDirFinding(runtimeDir: string | undefined): Finding | undefined {
  if (runtimeDir === undefined || statSync(runtimeDir, { throwIfNoEntry: false })?.isDirectory()) {
    return undefined;
  }
  return {
    what: `XDG_RUNTIME_DIR is ${runtimeDir}, which is not a directory`,
    remedy: 'log in again, or unset XDG_RUNTIME_DIR',
  };
}
