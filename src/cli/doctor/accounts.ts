import { statSync } from 'node:fs';
import { GROUP_AND_OTHERS, OTHERS } from '../../config/open-file.js';
import { profileLayout } from '../../config/paths.js';
import type { Account } from '../../core/account.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** Each profile with a `user`: whether its account is one, and keeps what it has to itself. */
export function checkAccounts({ config, home, problems }: DoctorFacts): CheckResult {
  if (config === undefined) return fine('accounts', 'not checked: there is no configuration');
  const sights = [...config.profiles.values()].flatMap((loaded) => {
    if (loaded.kind === 'bad' || loaded.config.account === undefined) return [];
    return [seeAccount(loaded.name, loaded.config.account, home)];
  });
  // with all that is wrong about it the check of the configuration tells it
  const refused = problems.filter(({ key }) => key === 'user').length;
  const known = sights.map(({ account, profile }) => `${profile} is ${account.name}`);
  const seen = [...known, ...(refused === 0 ? [] : [`${refused} refused, see configuration`])];
  return found(
    'accounts',
    seen.join(', ') || 'no profile has a user',
    sights.flatMap(judgeAccount),
  );
}

/** undefined: it is not there. */
type Entry = { readonly uid: number; readonly mode: number } | undefined;

export interface AccountSight {
  readonly profile: string;
  readonly account: Account;
  readonly accountHome: Entry;
  /** what of the profile is the account's alone, by path */
  readonly files: ReadonlyMap<string, Entry>;
}

function seeAccount(profile: string, account: Account, home: string): AccountSight {
  const { envFile, stateDir } = profileLayout(home, profile);
  return {
    profile,
    account,
    accountHome: entryAt(account.home),
    files: new Map([envFile, stateDir].map((path) => [path, entryAt(path)])),
  };
}

function entryAt(path: string): Entry {
  return statSync(path, { throwIfNoEntry: false });
}

/** Words of the table of accounts for: it has none. */
const NO_HOMES: ReadonlySet<string> = new Set(['/', '/nonexistent']);

export function judgeAccount(sight: AccountSight): Finding[] {
  return [...judgeHome(sight), ...judgeFiles(sight)];
}

function judgeHome({ account, accountHome, profile }: AccountSight): Finding[] {
  const { home, name, uid } = account;
  if (NO_HOMES.has(home)) return [];
  const whose = `the home of account ${name} of profile ${profile}, ${home},`;
  if (accountHome === undefined) {
    const remedy = `make it: install -d -m 700 -o ${uid} -g ${account.gid} ${home}`;
    return [{ what: `${whose} does not exist`, remedy }];
  }
  if (accountHome.uid !== uid) {
    const what = `${whose} belongs to user id ${accountHome.uid}`;
    return [{ what, remedy: `give it one of its own: usermod --home DIRECTORY ${name}` }];
  }
  if ((accountHome.mode & OTHERS) === 0) return [];
  return [{ what: `${whose} is open to others`, remedy: `close it: chmod o= ${home}` }];
}

/** A start sets this right: it is wrong only while nothing has started it since. */
function judgeFiles({ account, files, profile }: AccountSight): Finding[] {
  return [...files].flatMap(([path, entry]) => {
    if (entry === undefined) return [];
    const remedy = `the next start sets it right: gatewarden restart ${profile}`;
    if (entry.uid !== account.uid) {
      const what = `${path} belongs to user id ${entry.uid}, not to ${account.name} (${account.uid})`;
      return [{ what, remedy }];
    }
    return (entry.mode & GROUP_AND_OTHERS) === 0
      ? []
      : [{ what: `${path} is open to others than ${account.name}`, remedy }];
  });
}
