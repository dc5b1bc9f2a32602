import {
  type Containment,
  type LimitSupport,
  NO_LIMITS,
  type Scope,
  type ScopeOptions,
} from '../port.js';
import { rlimitSupport } from '../rlimits.js';
import { SessionScope } from './session-scope.js';

/** The second rung: a session for every program, a tag in its environment, a walk over /proc. */
export class SessionContainment implements Containment {
  readonly rung = 'session+tag';
  readonly weakerBecause: string;
  readonly limits: LimitSupport;
  readonly #tag: string;
  readonly #memoryBytes: number | undefined;

  /**
   * @param tag what the tags of its scopes begin with
   * @param memoryBytes for each program of a scope that is opened without limits of its own
   */
  constructor(tag: string, weakerBecause: string, memoryBytes?: number) {
    this.#tag = tag;
    this.#memoryBytes = memoryBytes;
    this.weakerBecause = weakerBecause;
    this.limits = rlimitSupport('there are no cgroup controllers on this rung');
  }

  openScope(name: string, options: ScopeOptions = {}): Scope {
    const tag = options.tag ?? `${this.#tag}:${name}`;
    return new SessionScope(
      name,
      tag,
      options.limits ?? { ...NO_LIMITS, memoryBytes: this.#memoryBytes },
    );
  }

  close(): void {}
}
