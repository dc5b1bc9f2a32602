import type { ChildProcess } from 'node:child_process';
import { isWithin } from '../../core/scope.js';
import { launch } from '../launch/launch.js';
import type {
  AdoptedProcess,
  Ending,
  EndingTimes,
  LaunchRequest,
  Scope,
  ScopeLimits,
  ScopeMember,
} from '../port.js';
import type { Membership, Root } from '../processes/members.js';
import { rootOf } from '../processes/root-of.js';
import { endMembers, findMembers } from './session-tree.js';

/** Known by session, by descent and by the tag in the environment. */
export class SessionScope implements Scope {
  readonly name: string;
  readonly tag: string;
  readonly place = undefined;
  readonly #limits: ScopeLimits;
  #roots: Root[] = [];

  constructor(name: string, tag: string, limits: ScopeLimits) {
    this.name = name;
    this.tag = tag;
    this.#limits = limits;
  }

  spawn(request: LaunchRequest): ChildProcess {
    const child = launch(request, {
      tag: this.tag,
      procsFile: undefined,
      dataBytes: this.#limits.memoryBytes,
    });
    this.adopt({ pid: child.pid, ownSession: true });
    return child;
  }

  adopt({ pid, ownSession }: AdoptedProcess): string | undefined {
    const root = rootOf(pid, ownSession);
    if (root !== undefined) this.#roots.push(root);
    return undefined;
  }

  async members(): Promise<readonly ScopeMember[]> {
    return findMembers(this.#membership());
  }

  async count(): Promise<number> {
    return findMembers(this.#membership()).length;
  }

  oomKills(): number {
    return 0; // nobody counts them here
  }

  async end(times: EndingTimes): Promise<Ending> {
    const roots = [...this.#roots];
    const ending = await endMembers(this.#membership(), times);
    // an ended root's number is free for a stranger: it must not be looked for again
    if (ending.survivors.length === 0) {
      this.#roots = this.#roots.filter((root) => !roots.includes(root));
    }
    return ending;
  }

  dispose(): boolean {
    return true;
  }

  #membership(): Membership {
    return {
      roots: this.#roots,
      hasScope: (scope) => isWithin(scope, this.tag),
    };
  }
}
