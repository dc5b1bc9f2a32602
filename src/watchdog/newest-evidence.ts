import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EVIDENCE_KINDS, type EvidenceKind } from '../core/watch.js';
import { isEvidenceName } from './thread/evidence-folder.js';

/** What a file of evidence says in short, for whoever was not there when it was written. */
export interface EvidenceNote {
  readonly kind: EvidenceKind;
  /** epoch milliseconds */
  readonly atMs: number;
  readonly pid: number;
  /** one clause: `blocked in handle (/srv/tool.js:12:3)` */
  readonly where: string;
  readonly lateMs: number;
  /** the process ended itself right after it */
  readonly fatal: boolean;
  readonly path: string;
}

/**
 * The newest whole file of a folder; undefined: there is none.
 * @param read the text of a small plain file; may throw
 */
export function newestEvidence(
  directory: string,
  read: (path: string) => string,
): EvidenceNote | undefined {
  for (const name of namesIn(directory)) {
    const note = readNote(join(directory, name), read);
    if (note !== undefined) return note;
  }
  return undefined;
}

/** Newest first: a name begins with its time. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isEvidenceName).sort().reverse();
  } catch {
    return [];
  }
}

function readNote(path: string, read: (path: string) => string): EvidenceNote | undefined {
  try {
    return parseNote(JSON.parse(read(path)), path);
  } catch {
    return undefined;
  }
}

function parseNote(raw: Readonly<Record<string, unknown>>, path: string): EvidenceNote | undefined {
  const { at, fatal, lateMs, pid, where } = raw;
  const kind = EVIDENCE_KINDS.find((known) => known === raw['kind']);
  const atMs = Date.parse(String(at));
  if (kind === undefined || Number.isNaN(atMs) || typeof where !== 'string') return undefined;
  if (typeof pid !== 'number') return undefined;
  const late = typeof lateMs === 'number' ? lateMs : 0;
  return { kind, atMs, pid, where, lateMs: late, fatal: fatal === true, path };
}
