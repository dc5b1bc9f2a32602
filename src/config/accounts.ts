import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  type Account,
  type AccountTables,
  type AccountWords,
  type FoundAccount,
  findAccountIn,
  idOf,
  parseAccountWords,
  parseGroup,
  parsePasswd,
} from '../core/account.js';
import type { ProblemText } from './problems.js';

/** What decides about accounts: read again when one of them changes. */
export const ACCOUNT_FILES = ['/etc/passwd', '/etc/group'] as const;

/** A directory service that does not answer must not hold up the supervisor. */
const LOOKUP_TIMEOUT_MS = 5000;

export type JudgedUser =
  /** undefined: whoever starts it */
  | { readonly kind: 'runs-as'; readonly account: Account | undefined }
  | { readonly kind: 'refused'; readonly problem: Omit<ProblemText, 'got'> };

export interface OwnIds {
  readonly uid: number;
  readonly gid: number;
}

/** Whom `user:` means on this host, and whether we can start anything as that account. */
export function judgeUser(text: string | undefined): JudgedUser {
  if (text === undefined) return { kind: 'runs-as', account: undefined };
  const words = parseAccountWords(text);
  if (words === undefined) return refused('an account such as bot, bot:group or 1500:1500');
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  return judgeFound(findAccount(words), { words, own });
}

interface Asked {
  readonly words: AccountWords;
  readonly own: OwnIds;
}

export function judgeFound(found: FoundAccount, { words, own }: Asked): JudgedUser {
  switch (found.kind) {
    case 'no-user':
      return refused(
        'an account of this host',
        'name one that `getent passwd` shows, or a number as UID:GID',
      );
    case 'no-group':
      return refused('a group of this host after the colon', 'see `getent group`');
    case 'no-group-said':
      return refused(
        'a group too, because no account of this host has that number',
        `write it as "${words.user}:GID"`,
      );
    case 'found':
      return judgeAccount(found, { words, own });
    default:
      return found satisfies never;
  }
}

function judgeAccount(
  { account, sharesGroupWith }: Extract<FoundAccount, { kind: 'found' }>,
  { words, own }: Asked,
): JudgedUser {
  const { gid, name, uid } = account;
  if (uid === own.uid) {
    if (words.group === undefined || gid === own.gid) {
      return { kind: 'runs-as', account: undefined };
    }
    return refused('no other group for the account that gatewarden runs as itself');
  }
  if (own.uid !== 0) {
    return refused(
      `the account that gatewarden runs as (uid ${own.uid}): only root can start a gateway as another`,
      `start gatewarden as root, or as ${name}; or remove it`,
    );
  }
  if (uid === 0 || gid === 0) {
    return refused(
      'an account and a group other than those of root',
      'remove it if it is to run as root',
    );
  }
  if (sharesGroupWith !== undefined) {
    return refused(
      `a group that is the account's alone, because its files are open to that group, and ${sharesGroupWith} is in it too`,
      `make a group for it and write it as "${words.user}:GROUP"`,
    );
  }
  return { kind: 'runs-as', account };
}

function refused(expected: string, hint?: string): JudgedUser {
  return { kind: 'refused', problem: { expected, hint } };
}

function findAccount(words: AccountWords): FoundAccount {
  const tables: AccountTables = {
    passwd: parsePasswd(readText('/etc/passwd')),
    group: parseGroup(readText('/etc/group')),
  };
  const found = findAccountIn(tables, words);
  if (found.kind === 'found' && isListed(tables, found.account)) return found;
  const wider = widen(tables, words);
  return wider === undefined ? found : findAccountIn(wider, words);
}

function isListed({ passwd }: AccountTables, { uid }: Account): boolean {
  return passwd.some((entry) => entry.uid === uid);
}

/** Also accounts and groups that a directory service keeps. */
function widen(tables: AccountTables, words: AccountWords): AccountTables | undefined {
  const [entry] = parsePasswd(ask('passwd', words.user));
  const named = words.group === undefined ? [] : parseGroup(ask('group', words.group));
  if (entry === undefined && named.length === 0) return undefined;
  if (entry === undefined) return { ...tables, group: [...tables.group, ...named] };
  // `name  gid gid …`: the only question that every service answers for one account
  const member = ask('initgroups', entry.name)
    .trim()
    .split(/\s+/)
    .slice(1)
    .flatMap((word) => idOf(word) ?? [])
    .map((gid) => ({ name: String(gid), gid, members: [entry.name] }));
  return {
    passwd: [...tables.passwd, entry],
    group: [...tables.group, ...named, ...member],
  };
}

function ask(database: 'passwd' | 'group' | 'initgroups', key: string): string {
  const { stdout } = spawnSync('getent', [database, key], {
    encoding: 'utf8',
    timeout: LOOKUP_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout ?? '';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
