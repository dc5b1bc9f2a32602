import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { homeLayout, profileLayout } from '../../config/paths.js';
import { describeOwner, parseOwner } from '../../core/owner.js';
import { identityStems } from '../../ownership/identity-places.js';
import { readJsonFile } from '../../store/json-file.js';
import { ownerPath } from '../../store/lock-owner.js';
import { here, livenessOfOwner } from '../../store/place.js';
import { livenessOf } from '../../store/process-table.js';
import { ownersElsewhere } from './elsewhere.js';
import type { DoctorFacts, Finding } from './finding.js';

type Places = Pick<DoctorFacts, 'env' | 'home' | 'names'>;

/**
 * What an unclean end leaves of the small files that we write: records beside locks, drafts,
 * markers. Each is a finding only when whoever wrote it is proven to be gone (field case C21);
 * none of them keeps anybody from starting.
 */
export function artefactFindings(places: Places): readonly (Finding | undefined)[] {
  const directories = stateDirectories(places);
  return [
    ...ownerRecords(places).map(recordFinding),
    ...markers(places).map(markerFinding),
    ...directories.flatMap(draftsIn).map(draftFinding),
  ];
}

function stateDirectories({ home, names }: Places): string[] {
  return [
    ...(ownersElsewhere(home).length > 0 ? [] : [homeLayout(home).stateDir]),
    ...names.flatMap((name) => {
      // a draft says no place: its writer may be one that we cannot see
      if (ownersElsewhere(home, name).length > 0) return [];
      const { evidenceDir, stateDir } = profileLayout(home, name);
      return [stateDir, evidenceDir];
    }),
  ];
}

/** Beside the locks of the home, of its profiles and of the accounts that they have claimed. */
function ownerRecords({ env, home, names }: Places): string[] {
  const shared = identityStems(env).flatMap((stem) =>
    namesIn(dirname(`${stem}x`))
      .map((name) => join(dirname(`${stem}x`), name))
      .filter((path) => path.startsWith(stem) && path.endsWith('.owner.json')),
  );
  return [
    ownerPath(homeLayout(home).supervisorLock),
    ...names.map((name) => ownerPath(profileLayout(home, name).gatewayLock)),
    ...shared.filter((path) => parseOwner(readJsonFile(path))?.home === home),
  ];
}

function recordFinding(path: string): Finding | undefined {
  const owner = parseOwner(readJsonFile(path));
  if (owner === undefined || livenessOfOwner(owner) !== 'dead') return undefined;
  return {
    what: `${path} names ${describeOwner(owner, here())}, which does not run: the lock is free`,
    remedy: `the next owner replaces it; to tidy now: rm ${path}`,
  };
}

function markers({ home, names }: Places): string[] {
  return [
    homeLayout(home).supervisorTakeover,
    ...names.map((name) => profileLayout(home, name).takeoverMarker),
  ];
}

/** Whoever wrote it removes it, and it expires by itself. */
function markerFinding(path: string): Finding | undefined {
  const raw = readJsonFile(path);
  if (typeof raw !== 'object' || raw === null) return undefined;
  const by = parseOwner((raw as Readonly<Record<string, unknown>>)['by']);
  if (by === undefined || livenessOfOwner(by) !== 'dead') return undefined;
  return {
    what: `${path} is of a take-over by ${describeOwner(by, here())}, which does not run`,
    remedy: `it means nothing any more; to tidy: rm ${path}`,
  };
}

interface Draft {
  readonly path: string;
  /** who was writing it */
  readonly pid: number;
}

/** `.NAME.PID.RANDOM.tmp`, `.lock-check.PID.RANDOM`, and evidence that ends in `.new`. */
const DRAFTS = [
  /^\..+\.(\d+)\.[0-9a-f]+\.tmp$/,
  /^\..+\.json\.(\d+)\.tmp$/,
  /^\.lock-check\.(\d+)\./,
  /-(\d+)-[a-z-]+\.json\.new$/,
] as const;

export function draftOf(path: string): Draft | undefined {
  for (const pattern of DRAFTS) {
    const [, digits] = pattern.exec(basename(path)) ?? [];
    if (digits !== undefined) return { path, pid: Number(digits) };
  }
  return undefined;
}

function draftsIn(directory: string): Draft[] {
  return namesIn(directory).flatMap((name) => draftOf(join(directory, name)) ?? []);
}

/** The name says no start time: as long as any process has that pid, it may be the writer. */
function draftFinding({ path, pid }: Draft): Finding | undefined {
  if (livenessOf({ pid, startTicks: undefined, bootId: undefined }) !== 'dead') return undefined;
  return {
    what: `${path} was never finished: pid ${pid} ended while it wrote it`,
    remedy: `nobody reads it; to tidy: rm ${path}`,
  };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // the check of the home tells what cannot be read
    return [];
  }
}
