import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DOWN_FILE } from '../../../units/s6/policy.js';
import { entryName } from '../../../units/unit-files.js';
import type { UnitManager } from '../../../units/unit-manager.js';
import type { Target } from './target.js';

/** A slot that runs although it is normally down: a start of s6, or of its watcher, would lose it. */
export interface HeldDown {
  readonly name: string;
  /** of the file that says so */
  readonly path: string;
}

export async function heldDown(target: Target, manager: UnitManager): Promise<readonly HeldDown[]> {
  if (target.manager !== 's6' || target.isElsewhere) return [];
  const held = target.subjects
    .map((subject) => entryName({ ...target, subject }))
    .map((name) => ({ name, path: join(target.folder, name, DOWN_FILE) }))
    .filter(({ path }) => existsSync(path));
  const states = await Promise.all(held.map(({ name }) => manager.state(name)));
  return held.filter((_, index) => states[index]?.pid !== undefined);
}
