import type { GatewayAssignment } from '../../core/assignment.js';
import type { DrainReason } from '../../core/ipc.js';
import type { GatewayLink } from '../link/port.js';
import type { RunOptions } from '../run.js';
import { Guest, type GuestEnd } from './guest.js';
import { ApiMounts } from './mounts.js';

export interface GuestsFacts {
  /** how a guest is connected, and what else it is given */
  readonly linkFor: (profile: string) => GatewayLink;
  readonly optionsFor: (assignment: GatewayAssignment) => Omit<RunOptions, 'signal' | 'mounts'>;
  /** who is served now has changed */
  readonly onServed: (profiles: readonly string[]) => void;
  readonly onEnded: (profile: string, end: GuestEnd) => void;
}

/** The profiles that the default profile's gateway serves in its process (design §9). */
export class Guests {
  /** their APIs, below the server's own */
  readonly mounts = new ApiMounts();
  readonly #facts: GuestsFacts;
  readonly #guests = new Map<string, Guest>();
  readonly #serving = new Set<string>();

  constructor(facts: GuestsFacts) {
    this.#facts = facts;
  }

  /** A second word about the same profile is ignored: the first one holds its lock. */
  serve(assignment: GatewayAssignment): void {
    const { profile } = assignment;
    if (this.#guests.has(profile)) return;
    this.mounts.expect(profile);
    const guest = new Guest(assignment, {
      link: this.#facts.linkFor(profile),
      options: { ...this.#facts.optionsFor(assignment), mounts: this.mounts },
      onServing: () => {
        this.#serving.add(profile);
        this.#tell();
      },
      onEnded: (end) => this.#forget(profile, end),
    });
    this.#guests.set(profile, guest);
  }

  unserve(profile: string, reason: DrainReason, budgetMs: number): void {
    this.#guests.get(profile)?.leave(reason, budgetMs);
  }

  hurry(profile: string): void {
    this.#guests.get(profile)?.hurry();
  }

  hurryAll(): void {
    for (const guest of this.#guests.values()) guest.hurry();
  }

  /**
   * Our process leaves, and takes them along: they are to be started again elsewhere, or here.
   * Each has its own budget for that, unless somebody is impatient.
   */
  async leaveAll(budgetMs: number): Promise<void> {
    const leaving = [...this.#guests.values()];
    for (const guest of leaving) {
      guest.leave('restart', budgetMs === 0 ? 0 : guest.assignment.drainMs);
    }
    await Promise.all(leaving.map(({ ended }) => ended));
  }

  #forget(profile: string, end: GuestEnd): void {
    this.#guests.delete(profile);
    this.#serving.delete(profile);
    this.mounts.unmount(profile);
    if (end.reason === 'restart') this.mounts.expect(profile);
    else this.mounts.forget(profile);
    this.#tell();
    this.#facts.onEnded(profile, end);
  }

  #tell(): void {
    this.#facts.onServed([...this.#serving].sort());
  }
}
