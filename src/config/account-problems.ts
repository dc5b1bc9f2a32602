import { lstatSync, statSync } from 'node:fs';
import type { JudgedUser } from './accounts.js';
import type { ConfigProblem } from './model.js';
import { homeLayout, profileLayout } from './paths.js';
import { describeGot, problemAt } from './problems.js';
import { type Mapping, type Path, placeOf, valueAt } from './tree.js';

const KEY: Path = ['user'];

/** What keeps a profile from running as the account that it names. */
export function accountProblems(
  judged: JudgedUser,
  tree: Mapping,
  where: { readonly home: string; readonly name: string },
): ConfigProblem[] {
  const value = valueAt(tree, KEY);
  const got = describeGot(value, KEY);
  const place = placeOf(tree, KEY);
  if (value?.kind === 'scalar' && value.secret) {
    // the account may write its own .env: that must not decide who it is
    const expected = 'an account without ${NAME}, which its own .env could change';
    return [problemAt(place, KEY, { expected, got })];
  }
  if (judged.kind === 'refused') return [problemAt(place, KEY, { ...judged.problem, got })];
  if (judged.account === undefined) return [];
  const untrusted = sourcesOf(where).map(describeUntrusted);
  const [first] = untrusted.filter((text) => text !== undefined);
  return first === undefined ? [] : [problemAt(place, KEY, first)];
}

/** Whoever can change one of these can say as whom a gateway runs: that must be root alone. */
function sourcesOf({ home, name }: { readonly home: string; readonly name: string }): string[] {
  const { configFile: hostFile, profilesDir } = homeLayout(home);
  const { configFile, directory } = profileLayout(home, name);
  return [home, hostFile, profilesDir, directory, configFile];
}

function describeUntrusted(path: string) {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  // what a link points to counts as well as the link itself
  const target = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
  const bad = [entry, target ?? entry].find((one) => !isRootsAlone(one));
  if (bad === undefined) return undefined;
  const mode = (bad.mode & 0o7777).toString(8).padStart(4, '0');
  return {
    expected: `${path} to be root's and writable by nobody else, because it says as whom gateways run`,
    got: `owner ${bad.uid}, mode ${mode}`,
    hint: `chown root ${path} && chmod go-w ${path}`,
  };
}

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  isSymbolicLink(): boolean;
}

const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;

export function isRootsAlone(stat: Ownership): boolean {
  if (stat.uid !== 0) return false;
  // the mode of a link means nothing
  if (stat.isSymbolicLink()) return true;
  if ((stat.mode & OTHERS_WRITE) !== 0) return false;
  return (stat.mode & GROUP_WRITE) === 0 || stat.gid === 0;
}
