import type { LimitSupport } from './port.js';

/**
 * What the limits of a process (setrlimit) can stand in for where no controller can be used.
 * RLIMIT_AS is not used: V8 reserves gigabytes of addresses that it never touches. RLIMIT_DATA
 * counts only what can be written. RLIMIT_NPROC is not used: it counts everything that the
 * user runs on the host, so a limit for one profile would hit all of them.
 */
export function rlimitSupport(because: string): LimitSupport {
  return {
    memoryBytes: {
      kind: 'process',
      because: `${because}: each program that is started gets it by itself, the gateway does not`,
    },
    processes: { kind: 'none', because: `${because}: more processes only raise an alarm` },
    cpus: { kind: 'none', because },
  };
}
