import { homedir } from 'node:os';
import { findAccount } from '../../../units/accounts.js';
import { managerFolder } from '../../../units/folders.js';
import { type InstalledUnit, readInstalled } from '../../../units/installed.js';
import type { Manager, Scope } from '../../../units/managers.js';
import type { Account, ReadService, Subject } from '../../../units/service.js';
import { entryName } from '../../../units/unit-files.js';
import type { Environment } from '../../config/paths.js';
import { DEFAULT_PROFILE } from '../../core/names.js';
import type { Target } from './target.js';

/** An installed unit of a home, and everything needed to write or ask it. */
export interface OwnUnit {
  readonly name: string;
  readonly path: string;
  readonly subject: Subject;
  readonly service: ReadService;
  readonly target: Target;
}

const PLACES: readonly (readonly [Manager, Scope])[] = [
  ['systemd', 'system'],
  ['systemd', 'user'],
  ['s6', 'system'],
];

/** What managers of this host have of a home. launchd is not asked by us, so it owns nothing here. */
export async function findOwnUnits(home: string, env: Environment): Promise<readonly OwnUnit[]> {
  const accountHome = env.HOME?.startsWith('/') ? env.HOME : homedir();
  const found: OwnUnit[] = [];
  for (const [manager, scope] of PLACES) {
    const folder = managerFolder(manager, scope, { env, accountHome });
    for (const unit of readInstalled(manager, folder)) {
      if (unit.home !== home) continue;
      const own = await toOwn(unit, { manager, scope, folder, home, accountHome });
      if (own !== undefined) found.push(own);
    }
  }
  return found;
}

/** Whom units of a home run: null is the supervisor. */
export async function seenSubjects(home: string, env: Environment) {
  const units = await findOwnUnits(home, env);
  return units.map(({ subject }) => ({
    profile: subject.kind === 'gateway' ? subject.profile : null,
  }));
}

interface Place {
  readonly manager: Manager;
  readonly scope: Scope;
  readonly folder: string;
  readonly home: string;
  readonly accountHome: string;
}

/** The options that it was installed with, read back from what it says. */
async function toOwn(unit: InstalledUnit, place: Place): Promise<OwnUnit | undefined> {
  const subject = subjectOf(unit);
  if (subject === undefined) return undefined;
  const { accountName } = unit.service;
  const owner = await ownerOf(accountName, place.accountHome);
  if (owner === undefined) return undefined;
  // whichever of the two spells its name
  const isUsual = entryName({ ...place, subject, usualHome: place.home }) === unit.name;
  return {
    name: unit.name,
    path: unit.path,
    subject,
    service: unit.service,
    target: {
      ...place,
      usualHome: isUsual ? place.home : '',
      owner,
      mustBecomeOwner: accountName !== undefined,
      subjects: [subject],
      isElsewhere: false,
      isOwnerChosen: true,
    },
  };
}

async function ownerOf(
  name: string | undefined,
  accountHome: string,
): Promise<Account | undefined> {
  try {
    if (name !== undefined) return await findAccount({ name });
    const own = await findAccount({ uid: process.getuid?.() ?? 0 });
    return { ...own, home: accountHome };
  } catch {
    // an account that is gone: the unit cannot run, and we cannot write it for anybody
    return undefined;
  }
}

export function subjectOf({ service }: InstalledUnit): Subject | undefined {
  const words = service.argv ?? [];
  if (words.includes('up')) return { kind: 'supervisor' };
  if (!words.includes('run')) return undefined;
  const profile = words[words.indexOf('--profile') + 1];
  const isNamed = words.includes('--profile') && profile !== undefined;
  return { kind: 'gateway', profile: isNamed ? profile : DEFAULT_PROFILE };
}
