import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceKind } from '../../core/watch.js';

export interface EvidenceLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Newest files that are kept, and their bytes in all: evidence must never fill a disk. */
export const EVIDENCE_LIMITS: EvidenceLimits = Object.freeze({ files: 20, bytes: 2 * 1024 * 1024 });

/** also a draft that a kill left */
const NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z-\d+-[a-z-]+\.json(?:\.new)?$/;
const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;

/** A whole file of evidence, no draft. */
export function isEvidenceName(name: string): boolean {
  return NAME.test(name) && name.endsWith('.json');
}

export interface KeptFile {
  readonly name: string;
  readonly bytes: number;
}

/** Files to remove so that one more fits; names sort by their time. */
export function planEviction(
  kept: readonly KeptFile[],
  newBytes: number,
  limits: EvidenceLimits = EVIDENCE_LIMITS,
): string[] {
  const newestFirst = [...kept].sort((one, two) => (one.name < two.name ? 1 : -1));
  let files = 1;
  let bytes = newBytes;
  return newestFirst
    .filter((file) => {
      files++;
      bytes += file.bytes;
      return files > limits.files || bytes > limits.bytes;
    })
    .map(({ name }) => name);
}

export function evidenceName(kind: EvidenceKind, at: Date, pid: number): string {
  // colons are no part of a file name that everybody can copy
  return `${at.toISOString().replace(/[:.]/g, '-')}-${pid}-${kind}.json`;
}

/** Writes at once and synchronously: there may be no later. @returns the path */
export function writeEvidence(directory: string, name: string, text: string): string {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
  for (const old of planEviction(listEvidence(directory), Buffer.byteLength(text))) {
    rmSync(join(directory, old), { force: true });
  }
  const path = join(directory, name);
  // whole or not at all: somebody may look for it at any moment
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, text, { mode: PRIVATE_FILE });
    renameSync(draft, path);
    return path;
  } catch (thrown) {
    // on a full disk an empty one would push out what is whole
    rmSync(draft, { force: true });
    throw thrown;
  }
}

function listEvidence(directory: string): KeptFile[] {
  return readdirSync(directory)
    .filter((name) => NAME.test(name))
    .flatMap((name) => {
      const bytes = statSync(join(directory, name), { throwIfNoEntry: false })?.size;
      return bytes === undefined ? [] : [{ name, bytes }];
    });
}
