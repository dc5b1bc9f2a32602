import { setTimeout as sleep } from 'node:timers/promises';
import type { HomeLayout } from '../src/config/paths.js';
import { formatDuration } from '../src/core/durations.js';
import { GatewardenError } from '../src/core/errors.js';
import { decideLease, type LeaseDecision } from '../src/core/lease.js';
import { describeOwner, nearnessOf, type Owner } from '../src/core/owner.js';
import { checkLocking } from '../src/ownership/check-locking.js';
import { type FileSystem, fileSystemOf } from '../src/ownership/file-system.js';
import {
  type HeldLease,
  type LeaseTimes,
  type LostLease,
  takeLease,
} from '../src/ownership/held-lease.js';
import { nextGeneration, readLease, type SeenLease } from '../src/ownership/lease-files.js';
import { isOwnerOf } from '../src/ownership/same-home.js';
import {
  type HeldLock,
  here,
  livenessOfOwner,
  ownOwner,
  removeHalfWritten,
} from '../src/store/index.js';
import { alreadyRunning, CLAIM_WAIT_MS, type ClaimOutcome, claimHome } from './take-over.js';

export interface OwnOptions {
  readonly layout: HomeLayout;
  readonly replace: boolean;
  /** false: an owner that lives elsewhere is a refusal, not something to wait for */
  readonly standby: boolean;
  readonly onStandby: (why: string) => void;
  readonly times: LeaseTimes;
  readonly pollMs: number;
  /** default: what the mount table says */
  readonly fileSystem?: FileSystem | undefined;
}

/** How often a supervisor that stands by looks whether the owner is gone. */
export const STANDBY_POLL_MS = 1000;

export interface OwnedHome {
  readonly owner: Owner;
  /** resolves once, when somebody else owns the home or may do so any moment */
  readonly lost: Promise<LostLease>;
  /** what weakens the hold: for status and doctor */
  readonly notices: readonly string[];
  release(): void;
}

/**
 * The home is ours alone from here on: by the kernel's lock where that reaches, and by the lease
 * everywhere. While its owner lives out of our sight, stands by until that one is proven gone.
 * @throws GatewardenError already-running, owner-busy, home-unusable
 */
export async function ownHome(options: OwnOptions): Promise<OwnedHome> {
  const fileSystem = options.fileSystem ?? fileSystemOf(options.layout.stateDir);
  const broken = await brokenLocks(options.layout.stateDir, fileSystem);
  const candidate = new Candidate(options, { fileSystem, broken });
  for (;;) {
    const owned = await candidate.tryOnce();
    if (owned !== undefined) return owned;
    await sleep(options.pollMs * (1 + Math.random() / 4));
  }
}

/** Local disks are not measured: a second process costs more than the whole claim. */
async function brokenLocks(
  directory: string,
  { storage }: FileSystem,
): Promise<string | undefined> {
  if (storage === 'local') return undefined;
  const verdict = await checkLocking(directory);
  return verdict.kind === 'broken' ? verdict.reason : undefined;
}

interface Ground {
  readonly fileSystem: FileSystem;
  /** why locks exclude nobody here */
  readonly broken: string | undefined;
}

class Candidate {
  readonly #options: OwnOptions;
  readonly #ground: Ground;
  readonly #owner: Owner;
  readonly #watch = new BeatWatch();
  #told = '';

  constructor(options: OwnOptions, ground: Ground) {
    this.#options = options;
    this.#ground = ground;
    this.#owner = ownOwner(options.layout.home);
  }

  /** undefined: not yet. */
  async tryOnce(): Promise<OwnedHome | undefined> {
    const outcome = await this.#claimLock();
    if (outcome.kind === 'elsewhere') return this.#standBy(outcome.owner);
    const lock = outcome.kind === 'held' ? outcome.lock : undefined;
    try {
      const owned = this.#claimLease(lock, outcome);
      if (owned === undefined) lock?.release();
      return owned;
    } catch (thrown) {
      lock?.release();
      throw thrown;
    }
  }

  #claimLock(): Promise<ClaimOutcome> {
    const { layout, replace } = this.#options;
    return claimHome({
      path: layout.supervisorLock,
      owner: this.#owner,
      replace,
      hintPath: layout.supervisorHint,
      markerPath: layout.supervisorTakeover,
      waitMs: CLAIM_WAIT_MS,
    });
  }

  #claimLease(lock: HeldLock | undefined, outcome: ClaimOutcome): OwnedHome | undefined {
    const { supervisorLease: directory, home } = this.#options.layout;
    const seen = readLease(directory);
    const isBroken = lock === undefined || this.#ground.broken !== undefined;
    const decision = this.#judge(seen, isBroken ? 'broken' : 'held');
    if (decision.kind === 'owned') {
      // no lock leads to it here, so --replace does not either
      throw alreadyRunning(home, seen?.owner, 'end it where it runs');
    }
    if (decision.kind === 'watch') return this.#standBy(seen?.owner);
    const { times } = this.#options;
    const { storage } = this.#ground.fileSystem;
    const generation = nextGeneration(directory);
    const lease = takeLease({ directory, owner: this.#owner, generation, storage, times });
    if (lease === undefined) return undefined;
    return this.#asOwned(lock, lease, outcome);
  }

  #judge(present: SeenLease | undefined, lock: 'held' | 'broken'): LeaseDecision {
    if (present === undefined) return { kind: 'take' };
    // a copy of another home took the lease of that one along
    if (lock === 'held' && !isOwnerOf(present.owner, this.#options.layout.home)) {
      return { kind: 'take' };
    }
    return decideLease({
      present,
      nearness: nearnessOf(present.owner, here()),
      liveness: livenessOfOwner(present.owner),
      lock,
      storage: this.#ground.fileSystem.storage,
      unchangedMs: this.#watch.see(present),
      staleAfterBeats: this.#options.times.staleAfterBeats,
    });
  }

  #asOwned(lock: HeldLock | undefined, lease: HeldLease, outcome: ClaimOutcome): OwnedHome {
    removeHalfWritten(this.#options.layout.stateDir, ['supervisor.json', 'lifecycle.json']);
    const lost = new Promise<LostLease>((resolve) => lease.keep(resolve));
    const lockless = outcome.kind === 'lockless' ? outcome.reason : this.#ground.broken;
    return {
      owner: this.#owner,
      lost,
      notices: noticesOf(this.#ground.fileSystem, lockless),
      release: () => {
        lease.release();
        lock?.release();
      },
    };
  }

  #standBy(owner: Owner | undefined): undefined {
    const { home } = this.#options.layout;
    const words = describeOwner(owner, here());
    if (!this.#options.standby) {
      throw new GatewardenError('owner-busy', {
        what: `the home ${home}`,
        owner: words,
        health: 'lives where this process can neither see nor end it',
        waited: formatDuration(0),
        hint: 'stop it where it runs, or leave --no-standby away to take over when it is gone',
      });
    }
    if (this.#told !== words) this.#options.onStandby(words);
    this.#told = words;
    return undefined;
  }
}

/** For how long the same beat has been seen, by our own clock. */
class BeatWatch {
  #beat = '';
  #since = 0;

  see({ beat, generation }: SeenLease): number {
    const seen = `${generation}-${beat}`;
    const now = performance.now();
    if (seen !== this.#beat) {
      this.#beat = seen;
      this.#since = now;
    }
    return now - this.#since;
  }
}

export function noticesOf(fileSystem: FileSystem, broken: string | undefined): string[] {
  const { name, storage } = fileSystem;
  if (broken !== undefined) {
    return [
      `locks exclude nobody on the home's file system (${name}: ${broken}); the lease alone keeps a second supervisor away`,
    ];
  }
  if (storage === 'local') return [];
  return [
    `the home is on ${name}, which other machines may use too: their supervisors are kept away by the lease`,
  ];
}
