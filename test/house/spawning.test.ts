import t from 'tap';
import { importsOf, productFiles, readSource } from '../support/sources.js';

/** Who starts processes, and why that is not a program that would escape its scope. */
const STARTERS: Readonly<Record<string, string>> = {
  'src/containment/launch/launch.ts': 'the launcher: everything else goes through it',
  'src/config/accounts.ts': 'getent, to its end, for accounts that a directory service keeps',
  'src/ownership/check-locking.ts': 'a rival for a lock: it tries once and exits',
  'src/containment/ps/ps-tree.ts': 'ps itself, where there is no other list',
  'src/store/process-table.ts': 'ps itself, where there is no /proc',
  'units/run-program.ts': 'tools of a service manager, to their end; they run nothing of ours',
  'src/watchdog/loop-watchdog.ts': 'a thread of our own process',
  'src/watchdog/thread/main.ts': 'that thread, which reads what it was given',
  'supervisor/guardian/guardian.ts': 'must outlive the supervisor, so it is in no scope',
  'supervisor/generation/worker-pool.ts': 'node:cluster forks; the worker is taken into its scope',
};

const STARTS_BY_IMPORT = new Set(['node:child_process', 'child_process', 'node:worker_threads']);
const STARTING_CALL = /\bcluster\.fork\(|\bprocess\.binding\(/;

t.test('no place but the launcher and those with a reason starts a process', async (t) => {
  const starters = productFiles().filter((file) => {
    const imports = importsOf(file).filter(
      ({ specifier, kind }) => STARTS_BY_IMPORT.has(specifier) && kind !== 'type',
    );
    return imports.length > 0 || STARTING_CALL.test(readSource(file));
  });
  t.strictSame(starters.sort(), Object.keys(STARTERS).sort());
});
