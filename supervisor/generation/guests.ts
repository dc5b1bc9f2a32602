import type { Scope } from '../../src/containment/index.js';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import type { Death, ExitOutcome } from '../../src/core/death.js';
import { clampTimerMs } from '../../src/core/durations.js';
import { EXIT } from '../../src/core/exit-codes.js';
import type { FromWorker, ToWorker } from '../../src/core/ipc.js';
import { maskSecrets } from '../../src/core/secret.js';
import type { KeptEvidence } from '../../src/core/watch.js';
import type { Generation, GenerationListener, OutputStream } from './generation.js';
import { type GatewayWord, passOn } from './pass-on.js';

/** What a guest needs of the worker that it lives in. */
export interface GuestHost {
  /** the profile whose process it is */
  readonly profile: string;
  readonly pid: number | undefined;
  tell(message: ToWorker): void;
  readonly takeConnection: Generation['takeConnection'];
  readonly answerListen: Generation['answerListen'];
}

export interface GuestPlan {
  /** of its tools; the process itself is its server's */
  readonly scope: Scope;
  readonly assignment: GatewayAssignment;
}

/** A word of a worker that is about one of its guests. */
type GuestWord = GatewayWord | Extract<FromWorker, { code: 'unserved' }>;

/** The profiles that one worker serves besides its own; to the supervisor each is a generation. */
export class Guests {
  readonly #host: GuestHost;
  readonly #guests = new Map<string, Guest>();
  #isOver = false;
  #isBuried = false;

  constructor(host: GuestHost) {
    this.#host = host;
  }

  /** the worker takes guests, as far as we know */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** `listener.exited` comes once, when the worker has let go of it or has ended itself. */
  admit({ assignment, scope }: GuestPlan, listener: GenerationListener): Generation {
    const { profile } = assignment;
    const guest = new Guest(this.#host, assignment, listener);
    guest.whenEnded(() => {
      if (this.#guests.get(profile) === guest) this.#guests.delete(profile);
    });
    this.#guests.set(profile, guest);
    if (!this.#isOver) this.#host.tell({ code: 'serve', assignment });
    else if (this.#isBuried) queueMicrotask(() => guest.loseHost(undefined));
    return guest.asGeneration(scope);
  }

  /** @returns whether the word was about a guest, also one that is gone */
  take(message: FromWorker): boolean {
    if (!('profile' in message) || message.profile === undefined) return false;
    this.#guests.get(message.profile)?.take(message);
    return true;
  }

  /** What the worker's thread has written down about one of them, also when its loop stands still. */
  evidence(kept: KeptEvidence): void {
    if (kept.profile !== undefined) this.#guests.get(kept.profile)?.listener.evidence(kept);
  }

  /** Lines of the worker that say whose they are go where they belong. */
  line(stream: OutputStream, printed: string): boolean {
    const profile = OWNER.exec(printed)?.[1];
    const guest = profile === undefined ? undefined : this.#guests.get(profile);
    guest?.listener.line(stream, this.mask(printed));
    return guest !== undefined;
  }

  /** What one process prints may hold what any of its profiles must not show. */
  mask(text: string): string {
    let masked = text;
    for (const { assignment } of this.#guests.values()) {
      masked = maskSecrets(masked, assignment.secrets);
    }
    return masked;
  }

  /** The worker is gone, and all of them with it; why is known a little later. */
  hostEnded(): void {
    this.#isOver = true;
  }

  /** Their end is that of the worker, with its cause and its evidence. */
  hostBuried(death: Death): void {
    this.#isOver = true;
    this.#isBuried = true;
    for (const guest of [...this.#guests.values()]) guest.loseHost(death);
  }
}

/** How our own log lines begin (src/gateway/log.ts). */
const OWNER = /^\{"level":\d+,"time":\d+,"pid":\d+,"profile":"([a-z0-9_-]+)"/;

class Guest {
  readonly assignment: GatewayAssignment;
  readonly listener: GenerationListener;
  readonly #host: GuestHost;
  readonly #whenEnded = new Set<() => void>();
  #isOver = false;

  constructor(host: GuestHost, assignment: GatewayAssignment, listener: GenerationListener) {
    this.#host = host;
    this.assignment = assignment;
    this.listener = listener;
  }

  whenEnded(callback: () => void): void {
    if (this.#isOver) callback();
    else this.#whenEnded.add(callback);
  }

  asGeneration(scope: Scope): Generation {
    const { profile, generation } = this.assignment;
    const host = this.#host;
    return {
      number: generation,
      pid: host.pid,
      // its server's thread watches over the loop that they share
      watch: undefined,
      servedBy: host.profile,
      scope,
      endAsGuest: (limitMs) => this.#endAsGuest(limitMs),
      drain: (reason, budgetMs) => host.tell({ code: 'unserve', profile, reason, budgetMs }),
      hurry: () => host.tell({ code: 'hurry', profile }),
      takeConnection: host.takeConnection,
      answerListen: host.answerListen,
    };
  }

  take(message: GuestWord): void {
    if (message.code === 'unserved') this.#exit({ kind: 'code', code: message.exitCode });
    else passOn(message, this.listener);
  }

  /** @param death undefined: its server had ended before it began */
  loseHost(death: Death | undefined): void {
    if (this.#isOver) return;
    if (death !== undefined) {
      this.#exit(death.outcome, death);
      return;
    }
    const detail = `the gateway of ${this.#host.profile}, which was to serve it, has ended`;
    this.listener.farewell({ detail, remedy: '' });
    this.#exit({ kind: 'code', code: EXIT.planned });
  }

  #exit(outcome: ExitOutcome, server?: Death): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const callback of this.#whenEnded) callback();
    const at = Date.now();
    const exit = { outcome, at, spawnError: undefined };
    this.listener.exited(server === undefined ? exit : { ...exit, server });
  }

  /** A part of another process is asked to end, and never killed for it. */
  async #endAsGuest(limitMs: number): Promise<boolean> {
    const { profile } = this.assignment;
    if (!this.#isOver) {
      this.#host.tell({ code: 'unserve', profile, reason: 'stop', budgetMs: 0 });
      this.#host.tell({ code: 'hurry', profile });
      await this.#endWithin(limitMs);
    }
    if (this.#isOver) return true;
    const server = this.#host.profile;
    this.listener.farewell({
      detail: `the gateway of ${server}, which served it, does not let go of it`,
      remedy: `restart that one: gatewarden restart ${server}`,
    });
    return false;
  }

  #endWithin(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, clampTimerMs(limitMs));
      this.whenEnded(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
