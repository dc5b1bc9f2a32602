import { basename } from 'node:path';

/** What decides whether the cgroup that we are in may be emptied. */
export interface ReapFacts {
  /** comm of the parent; undefined when it cannot be read */
  readonly parentName: string | undefined;
  /** undefined where there is no cgroup v2 */
  readonly unit: { readonly directory: string; readonly isRoot: boolean } | undefined;
  /** those in it besides us; a command line that cannot be read counts as dead */
  readonly others: readonly {
    readonly pid: number;
    readonly argv: readonly string[] | undefined;
  }[];
}

export type ReapVerdict =
  | { readonly kind: 'reap' }
  /** nothing to do here */
  | { readonly kind: 'no-cgroup' }
  | { readonly kind: 'refuse'; readonly because: string };

/** Only as the ExecStopPost of a unit whose owner is gone: anything else could hit the living. */
export function judgeReap({ others, parentName, unit }: ReapFacts): ReapVerdict {
  // no exception for pid 1: in a container the gateway or tini may be that
  if (parentName !== 'systemd') {
    const got = parentName === undefined ? 'one that cannot be read' : parentName;
    return refuse(`expected systemd as the parent process, got ${got}`);
  }
  if (unit === undefined) return { kind: 'no-cgroup' };
  if (unit.isRoot) return refuse('this is the root cgroup, where everything on the host lives');
  const owner = others.find(({ argv }) => argv !== undefined && ownsUnit(argv));
  if (owner !== undefined)
    return refuse(`pid ${owner.pid} in ${unit.directory} is still in charge`);
  return { kind: 'reap' };
}

function refuse(because: string): ReapVerdict {
  return { kind: 'refuse', because };
}

const PROGRAMS: ReadonlySet<string> = new Set(['gatewarden', 'gatewarden.js', 'cli.js']);

/** A supervisor, or a gateway without one. A worker is not: without its supervisor it is left over. */
function ownsUnit(argv: readonly string[]): boolean {
  const at = argv.findIndex((word) => PROGRAMS.has(basename(word)));
  if (at === -1) return false;
  const words = argv.slice(at + 1);
  return (
    words.includes('up') || words.some((word, n) => word === 'gateway' && words[n + 1] === 'run')
  );
}
