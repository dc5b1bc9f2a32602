import { rmSync } from 'node:fs';
import { type Owner, parseOwner } from '../core/owner.js';
import { isSameProcess, type ProcessIdentity } from '../core/process-identity.js';
import { readJsonFile, writeHintFile } from '../store/json-file.js';

/** An old marker must not explain a later death (spec/supervision.md 4.6). */
const MARKER_TTL_MS = 60_000;

interface Takeover {
  readonly target: Owner;
  readonly by: Owner;
}

/** Written before the first signal: the one that is ended can say by whom. */
export function writeTakeover(path: string, { target, by }: Takeover): void {
  try {
    writeHintFile(path, { target, by, at: Date.now() });
  } catch {
    // it only explains
  }
}

export function clearTakeover(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // it expires by itself
  }
}

/** Who takes over from this process; undefined: nobody said so. */
export function takeoverOf(path: string, self: ProcessIdentity): Owner | undefined {
  const raw = readJsonFile(path);
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { target, by, at } = raw as Readonly<Record<string, unknown>>;
  const aimed = parseOwner(target);
  if (aimed === undefined || !isSameProcess(aimed.identity, self)) return undefined;
  if (typeof at !== 'number' || Date.now() - at > MARKER_TTL_MS) return undefined;
  return parseOwner(by);
}
