import { rmSync } from 'node:fs';
import type { ProcessIdentity } from '../core/process-identity.js';
import { readJsonFile, writeJsonFile } from './json-file.js';

/** Who says that they hold a lock. A hint for messages: the kernel's lock is the truth. */
export interface LockOwner {
  readonly identity: ProcessIdentity;
  readonly home: string;
  /** undefined for a supervisor */
  readonly profile?: string | undefined;
  /** epoch milliseconds */
  readonly startedAt: number;
}

export function ownerPath(lockPath: string): string {
  return `${lockPath}.owner.json`;
}

/** The record beside a lock; it may be stale, so it proves nothing. */
export function readOwner(lockPath: string): LockOwner | undefined {
  return parseOwner(readJsonFile(ownerPath(lockPath)));
}

/** A full disk must not cost us the lock: a hint that cannot be written is removed instead. */
export function writeOwner(lockPath: string, owner: LockOwner): void {
  try {
    writeJsonFile(ownerPath(lockPath), owner);
  } catch {
    removeOwner(lockPath);
  }
}

export function removeOwner(lockPath: string): void {
  try {
    rmSync(ownerPath(lockPath), { force: true });
  } catch {
    // a stale hint is harmless
  }
}

export function parseOwner(raw: unknown): LockOwner | undefined {
  if (!isRecord(raw) || !isRecord(raw.identity)) return undefined;
  const { home, profile, startedAt } = raw;
  const { pid, startTicks, bootId } = raw.identity;
  if (typeof home !== 'string' || typeof startedAt !== 'number') return undefined;
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined;
  return {
    identity: {
      pid: Number(pid),
      startTicks: typeof startTicks === 'number' ? startTicks : undefined,
      bootId: typeof bootId === 'string' ? bootId : undefined,
    },
    home,
    profile: typeof profile === 'string' ? profile : undefined,
    startedAt,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
