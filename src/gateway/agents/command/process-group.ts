/**
 * Remembers a group until the returned function is called: when the gateway leaves by an exit
 * that waits for nothing, the groups it knows are ended with it.
 */
export function guardGroup(leaderPid: number): () => void {
  guarded.add(leaderPid);
  if (guarded.size === 1) process.on('exit', killGuarded);
  return () => {
    if (guarded.delete(leaderPid) && guarded.size === 0) process.off('exit', killGuarded);
  };
}

const guarded = new Set<number>();

function killGuarded(): void {
  for (const pid of guarded) signalGroup(pid, 'SIGKILL');
}

function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  // 0 and 1 would mean our own group and everybody
  if (leaderPid <= 1) return;
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // ESRCH: the group is empty, which is what was wanted
  }
}
