import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../../core/errors.js';
import { censusOneByOne } from '../census.js';
import { endTree } from '../end-tree.js';
import { launch } from '../launch/launch.js';
import type {
  AdoptedProcess,
  Containment,
  Ending,
  EndingTimes,
  LaunchRequest,
  LimitSupport,
  Scope,
  ScopeMember,
  ScopeOptions,
  Usage,
} from '../port.js';
import { UNKNOWN_USAGE } from '../port.js';
import { rlimitSupport } from '../rlimits.js';
import { describeByPs, type PsMember, PsTree } from './ps-tree.js';

/** The last rung, where there is no /proc: descendants as `ps` shows them. */
export class PsContainment implements Containment {
  readonly rung = 'ps-tree';
  readonly place = undefined;
  readonly weakerBecause: string;
  readonly limits: LimitSupport;
  readonly #tag: string;

  constructor(tag: string, weakerBecause: string) {
    this.#tag = tag;
    this.weakerBecause = weakerBecause;
    this.limits = rlimitSupport('there are no cgroups here');
  }

  openScope(name: string, options: ScopeOptions = {}): Scope {
    const dataBytes = options.limits?.memoryBytes;
    return new PsScope(name, options.tag ?? `${this.#tag}:${name}`, dataBytes);
  }

  leftovers(): readonly Scope[] {
    return [];
  }

  async census(scopes: readonly Scope[]): Promise<ReadonlyMap<Scope, readonly number[]>> {
    return await censusOneByOne(scopes);
  }

  async close(): Promise<void> {}
}

/** Known by descent alone: what loses its parent before anybody looked is not found. */
class PsScope implements Scope {
  readonly name: string;
  readonly tag: string;
  readonly rung = 'ps-tree';
  readonly place = undefined;
  readonly #notices = new Set<string>();
  readonly #dataBytes: number | undefined;
  #children: ChildProcess[] = [];
  #known: readonly PsMember[] = [];

  constructor(name: string, tag: string, dataBytes: number | undefined) {
    this.name = name;
    this.tag = tag;
    this.#dataBytes = dataBytes;
  }

  get notices(): readonly string[] {
    return [...this.#notices];
  }

  spawn(request: LaunchRequest): ChildProcess {
    const terms = { tag: this.tag, procsFile: undefined, dataBytes: this.#dataBytes };
    const { child } = launch(request, terms);
    this.#children.push(child);
    return child;
  }

  adopt({ pid, child }: AdoptedProcess): string | undefined {
    if (child !== undefined) this.#children.push(child);
    return child === undefined && pid !== undefined
      ? `pid ${pid} cannot be told from a stranger without /proc`
      : undefined;
  }

  async members(): Promise<readonly ScopeMember[]> {
    const roots = await this.#roots();
    const tree = new PsTree(roots, this.#known, 0);
    const members = await tree.members();
    this.#known = members;
    return members;
  }

  async count(): Promise<number> {
    return (await this.members()).length;
  }

  usage(): Usage {
    return UNKNOWN_USAGE;
  }

  oomKills(): number {
    return 0;
  }

  async end(times: EndingTimes): Promise<Ending> {
    try {
      const tree = new PsTree(await this.#roots(), this.#known, times.lookEveryMs);
      // parents and children are tied together before the first of them dies
      this.#known = await tree.members();
      const ending = await endTree(tree, times);
      if (ending.survivors.length === 0) this.#known = [];
      return ending;
    } catch (error) {
      // without a list the children that Node knows are ended all the same (field case B18)
      this.#notices.add(`ps failed, so only direct children can be ended: ${messageOf(error)}`);
      return { signalled: this.#killChildren(), survivors: [] };
    }
  }

  #killChildren(): number[] {
    return this.#children
      .filter((child) => child.pid !== undefined && child.kill('SIGKILL'))
      .flatMap(({ pid }) => pid ?? []);
  }

  dispose(): boolean {
    return true;
  }

  /** A child that Node has not seen end still owns its number. */
  async #roots(): Promise<readonly PsMember[]> {
    this.#children = this.#children.filter(isRunning);
    const pids = new Set(this.#children.flatMap(({ pid }) => pid ?? []));
    return await describeByPs([...pids]);
  }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
