import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A real manager that a test needs. */
export interface RealPart {
  readonly programs: readonly string[];
  /** of a package without a program */
  readonly files?: readonly string[];
  /** what to install on Debian when one of them is missing */
  readonly packages: readonly string[];
  readonly needsRoot: boolean;
}

/**
 * For a test's options: skipped with what to install where a part is missing.
 * @throws where everything must be there (GATEWARDEN_REQUIRE_REAL=1)
 */
export function withReal(part: RealPart): { readonly skip: string | false } {
  const missing = whatIsMissing(part);
  if (missing !== undefined && process.env['GATEWARDEN_REQUIRE_REAL'] === '1') {
    throw new Error(missing);
  }
  return { skip: missing ?? false };
}

function whatIsMissing(part: RealPart): string | undefined {
  const { files = [], needsRoot, packages, programs } = part;
  if (needsRoot && process.getuid?.() !== 0) return 'needs root';
  const missing = [
    ...programs.filter((program) => findProgram(program) === undefined),
    ...files.filter((file) => !existsSync(file)),
  ];
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} missing: apt-get install ${packages.join(' ')}`;
}

/** Where administrators' programs are, which are not on everybody's PATH. */
const ALSO = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export function findProgram(name: string): string | undefined {
  const { PATH = '' } = process.env;
  return [...PATH.split(delimiter), ...ALSO]
    .map((directory) => join(directory, name))
    .find(isRunnable);
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
