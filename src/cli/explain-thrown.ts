import { errnoOf, GatewardenError, messageOf } from '../core/errors.js';
import { SilenceError } from './control/silence.js';

/** What the system says, in an operator's words; any other errno is a bug of ours. */
const SYSTEM_WORDS: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  EACCES: {
    reason: 'this account has no permission (EACCES)',
    hint: 'run it as the account that owns the home, or look with: ls -ld',
  },
  EPERM: {
    reason: 'this account has no permission (EPERM)',
    hint: 'run it as the account that owns the home',
  },
  ENOSPC: { reason: 'no space left there (ENOSPC)', hint: 'free some space and try again' },
  EDQUOT: { reason: 'the quota is used up (EDQUOT)', hint: 'free some space and try again' },
  ENOTDIR: {
    reason: 'a part of that path is no directory (ENOTDIR)',
    hint: 'name another path, or move away what is in its place',
  },
  EISDIR: {
    reason: 'it is a directory, and a file was expected (EISDIR)',
    hint: 'name another path, or move it away',
  },
  ELOOP: {
    reason: 'its links lead in a circle (ELOOP)',
    hint: 'name another path, or mend the link',
  },
  ENAMETOOLONG: { reason: 'it is too long (ENAMETOOLONG)', hint: 'name a shorter path' },
  EROFS: { reason: 'the file system is read-only (EROFS)', hint: 'mount it writable' },
  EIO: { reason: 'the disk or terminal failed (EIO)', hint: 'look at its health' },
  EMFILE: { reason: 'too many open files (EMFILE)', hint: 'raise the limit: ulimit -n' },
  ENFILE: { reason: 'too many open files on this machine (ENFILE)', hint: 'close some' },
};

/** A connection that was there and is not any more. */
const GONE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** The error that a person is told for anything thrown; undefined when it is a bug of ours. */
export function explainThrown(thrown: unknown, home: string): GatewardenError | undefined {
  if (thrown instanceof GatewardenError) return thrown;
  if (thrown instanceof SilenceError) {
    const waited = `${thrown.waitedMs / 1000}s`;
    const details = { pid: 'unknown', waited, log: 'its log with: gatewarden logs' };
    return new GatewardenError('supervisor-silent', details, { cause: thrown });
  }
  const errno = errnoOf(thrown) ?? '';
  const isVanished = errno === 'ENOENT' && (thrown as { syscall?: unknown }).syscall === 'connect';
  if (isVanished || GONE.has(errno))
    return new GatewardenError('no-supervisor', { home }, { cause: thrown });
  const words = SYSTEM_WORDS[errno];
  if (words === undefined) return undefined;
  return new GatewardenError(
    'io-failed',
    { what: whatFailed(thrown), ...words },
    { cause: thrown },
  );
}

/** `cannot open /home/kim/.gatewarden/logs`: which call on which path. */
function whatFailed(thrown: unknown): string {
  const { address, path, syscall } = thrown as Readonly<Record<string, unknown>>;
  if (typeof syscall !== 'string') return messageOf(thrown);
  const where = [path, address].find((text) => typeof text === 'string');
  return `cannot ${syscall}${where === undefined ? '' : ` ${String(where)}`}`;
}
