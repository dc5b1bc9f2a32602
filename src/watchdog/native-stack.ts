import { createRequire } from 'node:module';
import { messageOf } from '../core/errors.js';
import { packageFile } from '../core/package-root.js';

export interface StackFrame {
  readonly function: string;
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
}

/** The two calls of the package that are used. */
interface NativeStack {
  registerThread(name: string): void;
  captureStackTrace(): Readonly<Record<string, { readonly frames: readonly StackFrame[] }>>;
}

export type StackReader =
  | { readonly kind: 'native'; readonly native: NativeStack }
  | { readonly kind: 'missing'; readonly because: string };

/** What the loop's own thread is known as to the reader. */
export const MAIN_THREAD = 'main';

/** The function with which the loop moves its counter; a loop that is met there was waiting. */
export const TICK_FUNCTION = 'moveWatchCounter';

const PACKAGE = '@sentry-internal/node-native-stacktrace';

/**
 * Its own entry finds the file by the versions of Node and of the C library, with packages that
 * take longer to load than everything else here; the names of the files say the same.
 */
export function openStackReader(): StackReader {
  const require = createRequire(packageFile('package.json'));
  const build = `${process.platform}-${process.arch}`;
  const abi = process.versions.modules;
  const libraries = process.platform === 'linux' ? ['-glibc', '-musl'] : [''];
  const files = libraries.map((libc) => `${PACKAGE}/lib/stack-trace-${build}${libc}-${abi}.node`);
  let because = '';
  for (const file of [...files, PACKAGE]) {
    try {
      return { kind: 'native', native: require(file) };
    } catch (thrown) {
      because ||= messageOf(thrown).split('\n', 1)[0] ?? '';
    }
  }
  return { kind: 'missing', because };
}
