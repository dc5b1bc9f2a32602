import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { packageFile } from '../../src/core/package-root.js';

/**
 * The text of a golden file. With GATEWARDEN_UPDATE_GOLDEN=1 the file is written first: read the
 * difference before you commit it.
 */
export function golden(path: string, actual: string): string {
  const file = packageFile('test', 'golden', path);
  if (process.env.GATEWARDEN_UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
  }
  return readFileSync(file, 'utf8');
}
