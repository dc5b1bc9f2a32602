import { packageFile } from '../../src/core/package-root.js';

/** Path of one of the tiny misbehaving programs. */
export function fixture(name: string): string {
  return packageFile('test', 'fixtures', name);
}
