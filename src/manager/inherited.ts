import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** The three that everybody has come first. */
const FIRST_FD = 3;
/** O_CLOEXEC as fdinfo has it: octal, and the same on every Linux that Node runs on. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what came from whoever started us, and that every child of ours would get from us: a
 * pipe that somebody waits on would stay open as long as the last tool. Node marks only the first
 * descriptors it finds (libuv stops at the first gap above 15); its own, and all that we open, are
 * never given on. Before anything is opened.
 * @param kept the descriptor on which a manager waits for news
 */
export function closeInherited(kept: number | undefined): void {
  for (const fd of openDescriptors()) {
    if (fd < FIRST_FD || fd === kept || !isGivenOn(fd)) continue;
    try {
      closeSync(fd);
    } catch {
      // gone already: the one that this list was read through
    }
  }
}

/** None where there is no /proc. */
function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isGivenOn(fd: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
