import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { endTree } from '../end-tree.js';
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
import { readStat } from '../processes/proc-scan.js';
import { isStillThere } from '../processes/signal.js';
import { SessionScope } from '../session/session-scope.js';
import { type CgroupRoot, CgroupTree, membersOf } from './cgroup-tree.js';
import { type CgroupFiles, removeCgroup } from './files.js';
import { parseOomKills } from './limits.js';
import { listPids } from './pids.js';

export interface CgroupScopeFacts {
  readonly name: string;
  readonly tag: string;
  readonly directory: string;
  /** where its own processes live: the directory itself, or a leaf of it */
  readonly home: string;
  /** each program gets it where no controller holds the tree to it */
  readonly dataBytes: number | undefined;
  readonly files: CgroupFiles;
  /** what was asked for and could not be had */
  readonly notices: readonly string[];
  /** a directory that could not be removed yet */
  readonly onKept: (directory: string) => void;
}

const US_PER_MS = 1000;

/** A cgroup of its own: nothing that starts in it can leave it. */
export class CgroupScope implements Scope {
  readonly rung = 'cgroup2';
  readonly name: string;
  readonly tag: string;
  readonly place: string;
  readonly #facts: CgroupScopeFacts;
  readonly #notices: string[];
  /** what the kernel would not let into the cgroup is found by the second rung */
  readonly #strays: SessionScope;
  #hasStrays = false;
  #roots: CgroupRoot[] = [];

  constructor(facts: CgroupScopeFacts) {
    this.#facts = facts;
    this.name = facts.name;
    this.tag = facts.tag;
    this.place = facts.directory;
    this.#notices = [...facts.notices];
    const { dataBytes, name, tag } = facts;
    this.#strays = new SessionScope({ name, tag, dataBytes, notices: [] });
  }

  spawn(request: LaunchRequest): ChildProcess {
    const { tag, dataBytes } = this.#facts;
    const { child, hasJoined } = launch(request, { tag, procsFile: this.#procsFile, dataBytes });
    const started = { pid: child.pid, ownSession: true, child };
    if (hasJoined) this.#addRoot(started);
    // it was to fail and did not: the file came into being meanwhile
    else this.adopt(started);
    return child;
  }

  adopt(adopted: AdoptedProcess): string | undefined {
    const { pid } = adopted;
    if (pid === undefined) return undefined;
    const errno = this.#facts.files.write(this.#procsFile, String(pid));
    if (errno === undefined) {
      this.#addRoot(adopted);
      return undefined;
    }
    // ESRCH: it has ended already
    if (errno === 'ESRCH') return undefined;
    this.#strays.adopt(adopted);
    this.#hasStrays = true;
    const refusal = `pid ${pid} was not taken into ${this.place} (${errno})`;
    this.#notices.push(refusal);
    return refusal;
  }

  get notices(): readonly string[] {
    return this.#notices;
  }

  async members(): Promise<readonly ScopeMember[]> {
    const { directory, files } = this.#facts;
    const strays = this.#hasStrays ? await this.#strays.members() : [];
    return [...membersOf(directory, this.#roots, files), ...strays];
  }

  async count(): Promise<number> {
    const { directory, files } = this.#facts;
    const strays = this.#hasStrays ? await this.#strays.count() : 0;
    const pids = new Set(listPids(directory, files));
    for (const root of this.#roots) if (isStillThere(root)) pids.add(root.pid);
    return pids.size + strays;
  }

  usage(): Usage {
    const { directory, files } = this.#facts;
    const cpu = /^usage_usec (\d+)$/m.exec(files.read(join(directory, 'cpu.stat')) ?? '')?.[1];
    const memory = files.read(join(directory, 'memory.current'));
    return {
      cpuMs: cpu === undefined ? undefined : Number(cpu) / US_PER_MS,
      memoryBytes: memory === undefined ? undefined : Number(memory),
    };
  }

  oomKills(): number {
    return parseOomKills(this.#facts.files.read(join(this.#facts.home, 'memory.events')));
  }

  async end(times: EndingTimes): Promise<Ending> {
    if (!this.#hasStrays) return await this.#endCgroup(times);
    const endings = await Promise.all([this.#endCgroup(times), this.#strays.end(times)]);
    return {
      signalled: endings.flatMap(({ signalled }) => signalled),
      survivors: endings.flatMap(({ survivors }) => survivors),
    };
  }

  dispose(): boolean {
    const { directory, files, onKept } = this.#facts;
    const isGone = removeCgroup(directory, files);
    if (!isGone) onKept(directory);
    return isGone;
  }

  async #endCgroup(times: EndingTimes): Promise<Ending> {
    const { directory, files } = this.#facts;
    const { lookEveryMs } = times;
    const tree = new CgroupTree({ directory, files, lookEveryMs, roots: this.#roots });
    try {
      return await endTree(tree, times);
    } finally {
      tree.close();
      this.#roots = this.#roots.filter(isStillThere);
    }
  }

  get #procsFile(): string {
    return join(this.#facts.home, 'cgroup.procs');
  }

  #addRoot({ pid, child }: AdoptedProcess): void {
    if (pid === undefined) return;
    this.#roots.push({ pid, startTicks: readStat(pid)?.startTicks, child });
  }
}
