/** As whom a profile's processes run, where that is not whoever starts them. */
export interface Account {
  /** for people, and for USER and LOGNAME; the number itself where the account has no name */
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** supplementary groups, without `gid` */
  readonly groups: readonly number[];
  readonly home: string;
}

/** What `user:` may say. */
export interface AccountWords {
  readonly user: string;
  /** undefined: the account's own */
  readonly group: string | undefined;
}

const NAME = String.raw`[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10}`;
const WORDS = new RegExp(`^(${NAME})(?::(${NAME}))?$`);

/** `bot`, `bot:chat`, `1500:1500`; undefined for everything else. */
export function parseAccountWords(text: string): AccountWords | undefined {
  const [, user, group] = WORDS.exec(text) ?? [];
  return user === undefined ? undefined : { user, group };
}

/** Node starts children by a signed number. */
const MAX_ID = 0x7fff_ffff;

/** undefined: a name. */
export function idOf(word: string): number | undefined {
  if (!/^[0-9]+$/.test(word)) return undefined;
  const id = Number(word);
  return id <= MAX_ID ? id : undefined;
}

export interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export interface GroupEntry {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** passwd(5): name, password, uid, gid, comment, home, shell. */
export function parsePasswd(text: string): PasswdEntry[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
    const ids = [idOf(uid), idOf(gid)] as const;
    if (name === '' || ids[0] === undefined || ids[1] === undefined) return [];
    return [{ name, uid: ids[0], gid: ids[1], home: home.startsWith('/') ? home : '/' }];
  });
}

/** group(5): name, password, gid, members. */
export function parseGroup(text: string): GroupEntry[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , id = '', members = ''] = line.split(':');
    const gid = idOf(id);
    if (name === '' || gid === undefined) return [];
    return [{ name, gid, members: members.split(',').filter((member) => member !== '') }];
  });
}

export interface AccountTables {
  readonly passwd: readonly PasswdEntry[];
  readonly group: readonly GroupEntry[];
}

export type FoundAccount =
  | {
      readonly kind: 'found';
      readonly account: Account;
      /** somebody else of this host who is in its group */
      readonly sharesGroupWith: string | undefined;
    }
  | { readonly kind: 'no-user' }
  /** a number without an entry has no group of its own */
  | { readonly kind: 'no-group-said' }
  | { readonly kind: 'no-group' };

/** Whom the words mean on a host with these tables. */
export function findAccountIn(tables: AccountTables, words: AccountWords): FoundAccount {
  const id = idOf(words.user);
  const entry = tables.passwd.find(({ name, uid }) =>
    id === undefined ? name === words.user : uid === id,
  );
  if (entry === undefined && id === undefined) return { kind: 'no-user' };
  const uid = entry?.uid ?? id ?? 0;
  const gid = words.group === undefined ? entry?.gid : groupIn(tables, words.group);
  if (gid === undefined) {
    return { kind: words.group === undefined ? 'no-group-said' : 'no-group' };
  }
  const account: Account = {
    name: entry?.name ?? words.user,
    uid,
    gid,
    groups: entry === undefined ? [] : groupsOf(tables, entry, gid),
    home: entry?.home ?? '/',
  };
  return { kind: 'found', account, sharesGroupWith: otherInGroup(tables, account) };
}

function groupIn({ group }: AccountTables, word: string): number | undefined {
  return idOf(word) ?? group.find(({ name }) => name === word)?.gid;
}

/** As initgroups(3) has it: its own group stays also where another one was asked for. */
function groupsOf({ group }: AccountTables, { name, gid: own }: PasswdEntry, gid: number) {
  const listed = group.filter(({ members }) => members.includes(name)).map((one) => one.gid);
  return [...new Set([own, ...listed])].filter((one) => one !== gid);
}

function otherInGroup({ passwd, group }: AccountTables, { name, uid, gid }: Account) {
  const entry = passwd.find((one) => one.gid === gid && one.uid !== uid);
  if (entry !== undefined) return entry.name;
  return group
    .filter((one) => one.gid === gid)
    .flatMap(({ members }) => members)
    .find((member) => member !== name);
}
