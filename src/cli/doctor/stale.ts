import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { homeLayout, profileLayout, runtimeDirCandidates } from '../../config/paths.js';
import { errnoOf } from '../../core/errors.js';
import { isProfileName } from '../../core/names.js';
import { readHint } from '../control/hint.js';
import { mayBeAlive } from '../control/process-facts.js';
import { ownerlessProcesses } from '../left-processes.js';
import { artefactFindings } from './artefacts.js';
import { ownersElsewhere } from './elsewhere.js';
import { type CheckResult, type DoctorFacts, type Finding, found } from './finding.js';

/** What an unclean end left behind: small files, sockets that nobody serves, processes without parent. */
export async function checkLeftovers(facts: DoctorFacts): Promise<CheckResult> {
  const sockets = await Promise.all(socketFiles(facts).map(deadSocketFinding));
  const findings = [
    ...hintFindings(facts),
    ...artefactFindings(facts),
    ...sockets,
    ...processFindings(facts),
  ];
  const { length } = findings.filter((one) => one !== undefined);
  return found('leftovers', length === 0 ? 'none' : `${length}`, findings);
}

function hintFindings({ home, names }: DoctorFacts): readonly (Finding | undefined)[] {
  const hints = [
    { name: undefined, path: homeLayout(home).supervisorHint },
    ...names.map((name) => ({ name, path: profileLayout(home, name).gatewayHint })),
  ];
  return hints.map(({ name, path }) => {
    const hint = readHint(path);
    if (hint === undefined || mayBeAlive(hint)) return undefined;
    if (ownersElsewhere(home, name).length > 0) return undefined;
    return {
      what: `${path} names pid ${hint.pid}, which does not run: it ended without cleaning up`,
      remedy: `the next start replaces it; to tidy now: rm ${path}`,
    };
  });
}

/** Of one whose owner lives where our kernel does not reach: who answers there is not seen here. */
function socketFiles({ env, home, uid }: DoctorFacts): readonly string[] {
  return runtimeDirCandidates(home, env, uid).flatMap((directory) => {
    try {
      return readdirSync(directory)
        .filter((name) => name.endsWith('.sock') && !isElsewhere(home, basename(name, '.sock')))
        .map((name) => join(directory, name))
        .filter((path) => statSync(path, { throwIfNoEntry: false })?.isSocket() === true);
    } catch {
      return [];
    }
  });
}

function isElsewhere(home: string, name: string): boolean {
  return ownersElsewhere(home, isProfileName(name) ? name : undefined).length > 0;
}

function deadSocketFinding(path: string): Promise<Finding | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error) => {
      const what = `nobody listens on ${path}`;
      const remedy = `the next start replaces it; to tidy now: rm ${path}`;
      resolve(isProofOfDeath(errnoOf(error)) ? { what, remedy } : undefined);
    });
  });
}

/**
 * The kernel knows of no listener. All else may come from one that lives: of another account
 * (EACCES), too busy to take us (EAGAIN), or gone with its socket just now (ENOENT).
 */
export function isProofOfDeath(errno: string | undefined): boolean {
  return errno === 'ECONNREFUSED';
}

/** Processes that carry this home's tag although nobody is there to own them. */
function processFindings({ home, reach }: DoctorFacts): readonly (Finding | undefined)[] {
  if (reach.kind !== 'none' || ownersElsewhere(home).length > 0) return [];
  return ownerlessProcesses(home).map(({ pid, profile }) => ({
    what: `pid ${pid} of profile ${profile} still runs although no supervisor does`,
    remedy: `the next gatewarden up ends it; to end it now: kill ${pid}`,
  }));
}
