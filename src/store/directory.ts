import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../core/errors.js';

/**
 * Makes a private directory and those above it. Node's own `recursive` never returns where a
 * directory can be seen but nothing may be made in it (/proc, some network mounts).
 */
export function ensureDirectory(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    ensureDirectory(dirname(path));
    makeOne(path);
  }
}

const PRIVATE = 0o700;

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
