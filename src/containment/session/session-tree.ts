import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcStat } from '../../core/proc-stat.js';
import { endTree, type Tree } from '../end-tree.js';
import type { Ending, EndingTimes, ScopeMember } from '../port.js';
import type { Membership } from '../processes/members.js';
import { type Found, findSettled } from '../processes/settled-scan.js';
import { isStillThere, signalMembers } from '../processes/signal.js';

/** Every living member, found afresh. */
export function findMembers(membership: Membership): readonly ProcStat[] {
  return findSettled(membership).members;
}

/** Ends what a walk over /proc finds, in the order of design §7. */
export async function endMembers(membership: Membership, times: EndingTimes): Promise<Ending> {
  return await endTree(new SessionTree(membership, times.lookEveryMs), times);
}

/** A tree that forks faster than it is stopped has no end; then the kill takes what it has. */
const MAX_STOP_ROUNDS = 20;

/** The second rung: nobody tells when a process ends, so what is known is looked at again. */
class SessionTree implements Tree {
  readonly #membership: Membership;
  readonly #lookEveryMs: number;
  #known: readonly ProcStat[] = [];
  #kills = 0;

  constructor(membership: Membership, lookEveryMs: number) {
    this.#membership = membership;
    this.#lookEveryMs = lookEveryMs;
  }

  async members(): Promise<readonly ProcStat[]> {
    return this.#look().members;
  }

  roots(): readonly ScopeMember[] {
    return this.#membership.roots.filter(isStillThere);
  }

  signal(members: readonly ScopeMember[], signal: NodeJS.Signals): readonly number[] {
    return signalMembers(members, signal);
  }

  async kill(): Promise<readonly number[]> {
    // the first kill catches all but those that fork meanwhile; these are held still first
    const members = this.#kills++ === 0 ? await this.members() : await this.#holdStill();
    return signalMembers(members, 'SIGKILL');
  }

  async emptied(limitMs: number): Promise<boolean> {
    const known = this.#known;
    await this.#poll(() => known.every((member) => !isStillThere(member)), limitMs);
    const { members, isSettled } = this.#look();
    return members.length === 0 && isSettled;
  }

  async rootsGone(limitMs: number): Promise<void> {
    await this.#poll(() => this.roots().length === 0, limitMs);
  }

  #look(): Found {
    const found = findSettled(this.#membership);
    this.#known = found.members;
    return found;
  }

  /** A stopped process cannot fork: stopped until a snapshot shows nobody new. */
  async #holdStill(): Promise<readonly ProcStat[]> {
    const stopped = new Set<string>();
    for (let round = 0; round < MAX_STOP_ROUNDS; round++) {
      const fresh = (await this.members()).filter((member) => !stopped.has(keyOf(member)));
      if (fresh.length === 0) break;
      signalMembers(fresh, 'SIGSTOP');
      for (const member of fresh) stopped.add(keyOf(member));
    }
    return this.#known;
  }

  async #poll(isDone: () => boolean, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!isDone()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return;
      await sleep(Math.min(this.#lookEveryMs, Math.max(1, leftMs)));
    }
  }
}

function keyOf({ pid, startTicks }: ProcStat): string {
  return `${pid}:${startTicks}`;
}
