import type { ChildProcess } from 'node:child_process';
import { isWithin } from '../../core/scope.js';
import { launch } from '../launch/launch.js';
import type {
  AdoptedProcess,
  Ending,
  EndingTimes,
  LaunchRequest,
  Scope,
  ScopeMember,
  Usage,
} from '../port.js';
import { UNKNOWN_USAGE } from '../port.js';
import type { Membership, Root } from '../processes/members.js';
import { rootOf } from '../processes/root-of.js';
import { endMembers, findMembers } from './session-tree.js';

export interface SessionScopeFacts {
  readonly name: string;
  readonly tag: string;
  /** each program gets it by itself */
  readonly dataBytes: number | undefined;
  readonly notices: readonly string[];
}

/** Known by session, by descent and by the tag in the environment. */
export class SessionScope implements Scope {
  readonly name: string;
  readonly tag: string;
  readonly place = undefined;
  readonly rung = 'session+tag';
  readonly notices: readonly string[];
  readonly #dataBytes: number | undefined;
  #roots: Root[] = [];

  constructor({ name, tag, dataBytes, notices }: SessionScopeFacts) {
    this.name = name;
    this.tag = tag;
    this.notices = notices;
    this.#dataBytes = dataBytes;
  }

  spawn(request: LaunchRequest): ChildProcess {
    const terms = { tag: this.tag, procsFile: undefined, dataBytes: this.#dataBytes };
    const { child } = launch(request, terms);
    this.adopt({ pid: child.pid, ownSession: true });
    return child;
  }

  adopt({ pid, ownSession }: AdoptedProcess): string | undefined {
    const root = rootOf(pid, ownSession);
    if (root !== undefined) this.#roots.push(root);
    return undefined;
  }

  async members(): Promise<readonly ScopeMember[]> {
    return findMembers(this.membership);
  }

  async count(): Promise<number> {
    return findMembers(this.membership).length;
  }

  usage(): Usage {
    return UNKNOWN_USAGE;
  }

  oomKills(): number {
    return 0; // nobody counts them here
  }

  async end(times: EndingTimes): Promise<Ending> {
    const roots = [...this.#roots];
    const ending = await endMembers(this.membership, times);
    // an ended root's number is free for a stranger: it must not be looked for again
    if (ending.survivors.length === 0) {
      this.#roots = this.#roots.filter((root) => !roots.includes(root));
    }
    return ending;
  }

  dispose(): boolean {
    return true;
  }

  get membership(): Membership {
    return {
      roots: this.#roots,
      hasScope: (scope) => isWithin(scope, this.tag),
    };
  }
}
