interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs file operations with the rights of the account: root that writes below a folder of
 * somebody else can be led anywhere by a link. Only what is synchronous is covered.
 */
export function asAccount<Result>(account: Ids, act: () => Result): Result {
  if (process.geteuid?.() !== 0 || account.uid === 0) return act();
  const group = process.getegid?.() ?? 0;
  // in this order: without root there is no way to change the group
  process.setegid?.(account.gid);
  process.seteuid?.(account.uid);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
  }
}
