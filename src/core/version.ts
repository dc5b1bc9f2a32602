import { readFileSync } from 'node:fs';
import { packageFile } from './package-root.js';

/** The package's version; read once per process. */
export function packageVersion(): string {
  version ??= readVersion();
  return version;
}

let version: string | undefined;

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  return '0.0.0';
}
