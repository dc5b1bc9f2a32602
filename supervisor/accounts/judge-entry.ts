/** What decides whether an entry of a tree may be given to an account. */
export interface EntryFacts {
  readonly kind: 'directory' | 'file' | 'link' | 'socket' | 'other';
  readonly uid: number;
  readonly names: number;
}

export interface TreeFacts {
  /**
   * nobody but root could make anything in the tree; false: another account had it, and what it
   * left there may lead to, or be, something of somebody else
   */
  readonly isTrusted: boolean;
  readonly toUid: number;
}

export type EntryVerdict =
  | { readonly kind: 'give' }
  /** is left as it is: whoever gets the tree can do no more with it than without it */
  | { readonly kind: 'leave' }
  | { readonly kind: 'refuse'; readonly got: string };

/**
 * A change of owner is the oldest way to take root over: a second name for /etc/shadow in a
 * directory of one's own, and root gives it away. Only what is surely the tree's own is given.
 */
export function judgeEntry(entry: EntryFacts, { isTrusted, toUid }: TreeFacts): EntryVerdict {
  const isForRoot = toUid === 0;
  switch (entry.kind) {
    case 'directory':
      return { kind: 'give' };
    case 'file':
      if (entry.names > 1) return refuse(`a file with ${entry.names} names (hard links)`);
      if (isTrusted || entry.uid !== 0) return { kind: 'give' };
      // the old inode of a file of root that was replaced has one name as well
      return isForRoot ? { kind: 'leave' } : refuse("a file of root in another account's place");
    case 'socket':
      return { kind: 'leave' };
    case 'link':
      // root would follow it
      return isForRoot || !isTrusted ? refuse('a symbolic link') : { kind: 'leave' };
    case 'other':
      return isForRoot || !isTrusted ? refuse('a special file') : { kind: 'leave' };
    default:
      return entry.kind satisfies never;
  }
}

function refuse(got: string): EntryVerdict {
  return { kind: 'refuse', got };
}
