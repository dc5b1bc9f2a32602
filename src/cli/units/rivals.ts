import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { findAccount } from '../../../units/accounts.js';
import { managerFolder } from '../../../units/folders.js';
import { type InstalledUnit, readInstalled } from '../../../units/installed.js';
import { MANAGERS, type Manager, type Scope } from '../../../units/managers.js';
import { type Account, isSameSubject, type Subject } from '../../../units/service.js';
import { quoteShell } from '../../../units/shell/escape.js';
import type { Environment } from '../../config/paths.js';
import { subjectOf } from './own-units.js';
import type { Target } from './target.js';

/** A unit of a home, wherever it stands and whoever may command it. */
export interface Rival {
  readonly path: string;
  readonly manager: Manager;
  readonly scope: Scope;
  /** whose folder it is in; undefined: the host's, or the caller's own */
  readonly account: Account | undefined;
  readonly subject: Subject;
  /** where --out must point to reach it; undefined: it is where its manager looks */
  readonly out: string | undefined;
}

/**
 * Of both scopes, of every manager, and in the folders of the caller, of the service's account and
 * of the home's: who installs as root must see what the account has for itself, and the other way.
 */
export async function unitsOfHome(target: Target, env: Environment): Promise<readonly Rival[]> {
  const places = target.isElsewhere ? [elsewhere(target)] : await placesFor(target, env);
  const seen = new Set<string>();
  return places.flatMap((place) =>
    readInstalled(place.manager, place.folder).flatMap((unit) => {
      if (unit.home !== target.home || seen.has(unit.path)) return [];
      seen.add(unit.path);
      const subject = subjectOf(unit);
      return subject === undefined ? [] : [toRival(unit, subject, place)];
    }),
  );
}

interface Place extends Pick<Rival, 'manager' | 'scope' | 'account' | 'out'> {
  readonly folder: string;
}

function toRival({ path }: InstalledUnit, subject: Subject, place: Place): Rival {
  const { account, manager, out, scope } = place;
  return { path, subject, account, manager, out, scope };
}

function elsewhere({ folder, manager, scope }: Target): Place {
  return { manager, scope, folder, account: undefined, out: folder };
}

async function placesFor({ home, owner }: Target, env: Environment): Promise<readonly Place[]> {
  const own = { env, accountHome: env.HOME?.startsWith('/') ? env.HOME : homedir() };
  const others = [owner, await ownerOf(home)].filter((account) => account !== undefined);
  return MANAGERS.flatMap((manager): Place[] => {
    const place = (scope: Scope, who: typeof own, account?: Account): Place => ({
      manager,
      scope,
      account,
      folder: managerFolder(manager, scope, who),
      out: undefined,
    });
    if (manager === 's6') return [place('system', own)];
    return [
      place('system', own),
      place('user', own),
      // what another account's environment says is not known here
      ...others.map((one) => place('user', { env: {}, accountHome: one.home }, one)),
    ];
  });
}

/** Whose the home is; undefined: there is none, or that account is gone. */
export async function ownerOf(home: string): Promise<Account | undefined> {
  const stats = statSync(home, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return findAccount({ uid: stats.uid }).catch(() => undefined);
}

/** One that would run what this target runs too, in another place. */
export function findSame(
  rivals: readonly Rival[],
  { subjects }: Target,
  paths: readonly string[],
): Rival | undefined {
  return rivals.find(
    ({ path, subject }) =>
      !paths.some((own) => own === path || own.startsWith(`${path}/`)) &&
      subjects.some((one) => isSameSubject(one, subject)),
  );
}

/** A supervisor runs every profile of its home: a gateway's own unit would never get its lock. */
export function findOpposite(rivals: readonly Rival[], { subjects }: Target): Rival | undefined {
  const wantsSupervisor = subjects.some(({ kind }) => kind === 'supervisor');
  return rivals.find(({ subject }) => (subject.kind === 'supervisor') !== wantsSupervisor);
}

/** The command that takes it away, as whoever may. */
export function removalOf({ account, manager, out, scope, subject }: Rival, home: string): string {
  const uid = process.getuid?.() ?? 0;
  const isHosts = scope === 'system' && manager !== 's6';
  const sudo = isHosts && uid !== 0 && out === undefined ? 'sudo ' : '';
  const isOthers = account !== undefined && account.uid !== uid;
  return [
    `${isOthers ? `as ${account.name}: ` : sudo}gatewarden --home ${quoteShell(home)}`,
    `units uninstall ${manager} --${scope}`,
    ...(subject.kind === 'gateway' ? [`--profile ${subject.profile}`] : []),
    ...(out === undefined ? [] : [`--out ${quoteShell(out)}`]),
  ].join(' ');
}
