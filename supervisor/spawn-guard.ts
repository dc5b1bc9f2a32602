import { setTimeout as delay } from 'node:timers/promises';
import { profileLayout } from '../src/config/paths.js';
import type { GatewardenError } from '../src/core/errors.js';
import type { GuardDecision, GuardFacts } from '../src/core/guard.js';
import { BeatMemory } from '../src/ownership/observe.js';
import { type Refusal, refusalError } from '../src/ownership/refusal.js';
import { decideAmongStrangers, hasStrangers } from '../src/ownership/strangers.js';
import type { SlotSource, StartSlot } from './profile/start-slots.js';

export interface SpawnGuardFacts {
  readonly home: string;
  readonly configuration: () => GuardFacts['configuration'];
  /** how long an owner that is on its way in or out may take */
  readonly waitMs?: number;
}

/** spec/supervision.md 4.3 */
const WAIT_MS = 5000;
const POLL_MS = 250;
/** One sight of a healthy owner may be the last moment of one that is about to go. */
const SIGHTINGS = 2;
/** Who is refused takes nobody's turn. */
const NO_SLOT: StartSlot = { release: () => {} };

/**
 * Before a gateway is spawned: whether somebody runs the profile, or serves it, who is none of
 * this supervisor's. A process would only learn the same from the lock, over and over.
 */
export class SpawnGuard {
  readonly #facts: SpawnGuardFacts;
  readonly #refusals = new Map<string, GatewardenError>();

  constructor(facts: SpawnGuardFacts) {
    this.#facts = facts;
  }

  /** Whoever is not refused waits for the slot as ever. */
  inFrontOf(profile: string, slots: SlotSource): SlotSource {
    return {
      acquire: (signal, grant) => {
        this.#refusals.delete(profile);
        const who = { profile, home: this.#facts.home, supervisorPid: process.pid };
        if (!hasStrangers(who)) {
          slots.acquire(signal, grant);
          return;
        }
        void this.#look(profile, signal).then((refusal) => {
          if (signal.aborted) return;
          if (refusal === undefined) slots.acquire(signal, grant);
          else {
            this.#refusals.set(profile, refusal);
            grant(NO_SLOT);
          }
        });
      },
    };
  }

  /** Why the newest start of the profile is not to become a process. */
  refusalOf(profile: string): GatewardenError | undefined {
    return this.#refusals.get(profile);
  }

  /** What cannot be seen is left to the lock, which has the last word anyway. */
  async #look(profile: string, signal: AbortSignal): Promise<GatewardenError | undefined> {
    try {
      return await this.#judge(profile, signal);
    } catch {
      return undefined;
    }
  }

  async #judge(profile: string, signal: AbortSignal): Promise<GatewardenError | undefined> {
    const { configuration, home, waitMs = WAIT_MS } = this.#facts;
    const begunAt = performance.now();
    const beats = new BeatMemory();
    for (let sightings = 1; ; sightings++) {
      const { decision, facts } = await decideAmongStrangers({
        action: 'supervise',
        profile,
        home,
        supervisorPid: process.pid,
        configuration: configuration(),
        beats,
      });
      const refusal = refusalIn(decision);
      if (refusal === undefined) return undefined;
      const waitedMs = Math.round(performance.now() - begunAt);
      const isSure = refusal.permanence === 'permanent' && sightings >= SIGHTINGS;
      if (isSure || waitedMs >= waitMs) {
        const path = profileLayout(home, profile).gatewayLock;
        return refusalError(refusal, { profile, path, waitedMs, facts: ofChild(decision, facts) });
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }
}

/** To be served elsewhere is no place for a process: what would help one is asked. */
function ofChild(decision: GuardDecision, facts: GuardFacts): GuardFacts {
  if (decision.kind !== 'attach') return facts;
  return { ...facts, action: 'run', flags: { ...facts.flags, supervisedChild: true } };
}

/** Served by another process than ours is no place for a process of its own either. */
function refusalIn(decision: GuardDecision): Refusal | undefined {
  if (decision.kind === 'refuse') return decision;
  if (decision.kind !== 'attach') return undefined;
  return { kind: 'refuse', permanence: 'permanent', because: 'served', by: decision.to };
}
