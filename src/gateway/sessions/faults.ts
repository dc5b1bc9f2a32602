import { errnoOf, GatewardenError, messageOf } from '../../core/errors.js';

/** How a database fault is answered. */
export type StoreFault =
  /** the file is not, or no longer, a database */
  | 'corrupt'
  /** cannot be opened at all: permissions, a directory in its place */
  | 'unusable'
  /** the disk is full, refuses or lags: later writes may work */
  | 'passing'
  /** our own mistake */
  | 'bug';

/** SQLite's primary codes (extended ones begin with the same words) and errno names. */
const FAULT_BY_CODE: readonly (readonly [prefix: string, fault: StoreFault])[] = [
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_CANTOPEN', 'unusable'],
  ['SQLITE_READONLY', 'unusable'],
  ['SQLITE_PERM', 'unusable'],
  ['SQLITE_AUTH', 'unusable'],
  ['SQLITE_FULL', 'passing'],
  ['SQLITE_IOERR', 'passing'],
  ['SQLITE_BUSY', 'passing'],
  ['SQLITE_LOCKED', 'passing'],
  ['SQLITE_NOMEM', 'passing'],
  ['SQLITE_PROTOCOL', 'passing'],
  ['ENOSPC', 'passing'],
  ['EDQUOT', 'passing'],
  ['EIO', 'passing'],
  ['EMFILE', 'passing'],
  ['ENFILE', 'passing'],
  ['EACCES', 'unusable'],
  ['EPERM', 'unusable'],
  ['EROFS', 'unusable'],
  ['EISDIR', 'unusable'],
  ['ENOTDIR', 'unusable'],
  ['ENOENT', 'unusable'],
];

export function classifyStoreFault(thrown: unknown): StoreFault {
  const code = errnoOf(thrown) ?? '';
  return FAULT_BY_CODE.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'bug';
}

/** What a person is told when the store does not open. */
export function toOpenError(path: string, thrown: unknown): unknown {
  if (thrown instanceof GatewardenError) return thrown;
  const reason = messageOf(thrown);
  const fault = classifyStoreFault(thrown);
  switch (fault) {
    case 'corrupt':
      return new GatewardenError('store-corrupt', { path, reason }, { cause: thrown });
    case 'unusable':
      return new GatewardenError(
        'home-unusable',
        { path, reason, hint: `make ${path} a file that this user can read and write` },
        { cause: thrown },
      );
    case 'passing':
      return new GatewardenError(
        'io-failed',
        {
          what: `cannot open ${path}`,
          reason,
          hint: 'free space on its disk, or look at its health',
        },
        { cause: thrown },
      );
    case 'bug':
      return thrown;
    default:
      return fault satisfies never;
  }
}
