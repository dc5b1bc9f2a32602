import type { Scope } from '../../src/containment/index.js';
import type { Generation, GenerationListener } from './generation.js';

export interface NeverBegun {
  readonly number: number;
  readonly scope: Scope;
  readonly servedBy?: string;
  /** what a process would have ended with */
  readonly exitCode: number;
  readonly detail: string;
  readonly remedy: string;
}

/** A generation that is known to end before any process is made for it. */
export function neverBegun(facts: NeverBegun, listener: GenerationListener): Generation {
  const { detail, exitCode, number, remedy, scope, servedBy } = facts;
  queueMicrotask(() => {
    listener.farewell({ detail, remedy });
    const outcome = { kind: 'code', code: exitCode } as const;
    listener.exited({ outcome, at: Date.now(), spawnError: undefined });
  });
  return {
    number,
    pid: undefined,
    watch: undefined,
    ...(servedBy === undefined ? {} : { servedBy }),
    scope,
    drain: () => {},
    hurry: () => {},
    takeConnection: () => false,
    answerListen: () => {},
  };
}
