import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

/** A listening TCP socket of this host. */
export interface Listening {
  readonly port: number;
  readonly inode: string;
}

/** Parses /proc/net/tcp and /proc/net/tcp6 (proc(5)). */
export function parseListening(text: string): readonly Listening[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const port = Number.parseInt(local.split(':').at(-1) ?? '', 16);
      return state === LISTEN && Number.isInteger(port) ? [{ port, inode }] : [];
    });
}

/** Undefined where there is no /proc/net. */
export function readListening(): readonly Listening[] | undefined {
  const texts = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => {
    try {
      return [readFileSync(path, 'utf8')];
    } catch {
      return [];
    }
  });
  return texts.length === 0 ? undefined : texts.flatMap(parseListening);
}

/** The processes that hold a socket, as far as we may look into them. */
export function holdersOf(inodes: ReadonlySet<string>): ReadonlyMap<string, number[]> {
  const holders = new Map<string, number[]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    for (const inode of socketsOf(pid)) {
      if (inodes.has(inode)) holders.set(inode, [...(holders.get(inode) ?? []), pid]);
    }
  }
  return holders;
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const target = linkOf(`/proc/${pid}/fd/${fd}`);
      return target?.startsWith('socket:[') === true ? [target.slice('socket:['.length, -1)] : [];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // closed meanwhile
    return undefined;
  }
}
