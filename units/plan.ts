import { dirname } from 'node:path';
import type { GeneratedFile } from './generated-file.js';

/** A file that is there now. */
export interface PresentFile {
  readonly text: string;
  readonly mode: number;
}

export type FileWrite =
  | { readonly kind: 'create'; readonly file: GeneratedFile }
  | { readonly kind: 'replace'; readonly file: GeneratedFile; readonly was: string }
  | { readonly kind: 'chmod'; readonly file: GeneratedFile; readonly was: number };

export type Write =
  | FileWrite
  /** a whole folder that a running manager must see complete or not at all */
  | {
      readonly kind: 'create-folder';
      readonly folder: string;
      readonly files: readonly GeneratedFile[];
    };

export interface WantedUnits {
  readonly files: readonly GeneratedFile[];
  /** folders that are created as one; the rest is written file by file */
  readonly folders: readonly string[];
}

/** What is there, by path. */
export type Present = ReadonlyMap<string, PresentFile>;

/** What must be written so that what is present becomes what is wanted; empty: nothing is stale. */
export function planWrites(wanted: WantedUnits, present: Present): readonly Write[] {
  const fresh = wanted.folders.filter(
    (folder) => ![...present.keys()].some((path) => isBelow(path, folder)),
  );
  const staged = fresh.map((folder): Write => {
    const files = wanted.files.filter(({ path }) => isBelow(path, folder));
    return { kind: 'create-folder', folder, files };
  });
  const single = wanted.files
    .filter(({ path }) => !fresh.some((folder) => isBelow(path, folder)))
    .flatMap((file) => planFile(file, present.get(file.path)));
  return [...single, ...staged];
}

/** One file, without regard to where it is. */
export function planFile(
  file: GeneratedFile,
  present: PresentFile | undefined,
): readonly FileWrite[] {
  if (present === undefined) return [{ kind: 'create', file }];
  if (file.keep !== true && !isSameText(file.text, present.text)) {
    return [{ kind: 'replace', file, was: present.text }];
  }
  if (present.mode !== file.mode) return [{ kind: 'chmod', file, was: present.mode }];
  return [];
}

/** Blanks at the end of a line mean nothing to any manager and are easily lost in an editor. */
function isSameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replace(/[ \t]+$/gm, '').trimEnd();
  return plain(a) === plain(b);
}

function isBelow(path: string, folder: string): boolean {
  for (let at = dirname(path); at.length >= folder.length; at = dirname(at)) {
    if (at === folder) return true;
  }
  return false;
}
