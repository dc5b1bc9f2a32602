import { clampTimerMs, formatDuration } from '../../core/durations.js';
import { messageOf } from '../../core/errors.js';
import { monotonicMs } from '../../core/monotonic.js';

/** A part of a gateway that can hang while the loop runs. */
export interface ProvenPart {
  /** as it begins a sentence: `platform local` */
  readonly name: string;
  /** Shows from outside that it works; rejects, or never settles, when it does not. */
  prove(signal: AbortSignal): Promise<void>;
  /** Takes it down and up again; the rest of the gateway goes on meanwhile. */
  reopen(): Promise<void>;
}

export interface ProofsOptions {
  readonly parts: readonly ProvenPart[];
  readonly policy: { readonly proveMs: number; readonly provenWithinMs: number };
  /** `detail` undefined: it works again */
  readonly onTrouble: (name: string, detail: string | undefined) => void;
}

/** Asks every part for a proof of life; the one that is late is told and opened again, alone. */
export class Proofs {
  readonly #watches: readonly PartWatch[];

  constructor(options: ProofsOptions) {
    this.#watches = options.parts.map((part) => new PartWatch(part, options));
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }
}

class PartWatch {
  readonly #part: ProvenPart;
  readonly #options: ProofsOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stopped = new AbortController();
  #provenAtMs = monotonicMs();
  #isAsking = false;
  #isTold = false;

  constructor(part: ProvenPart, options: ProofsOptions) {
    this.#part = part;
    this.#options = options;
    const { proveMs } = options.policy;
    this.#timer = setInterval(() => void this.#look(), clampTimerMs(proveMs)).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopped.abort();
  }

  async #look(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { proveMs, provenWithinMs } = this.#options.policy;
    const reason = await this.#within(proveMs, (signal) => this.#part.prove(signal));
    if (!this.#stopped.signal.aborted) {
      if (reason === undefined) this.#succeeded();
      else if (monotonicMs() - this.#provenAtMs >= provenWithinMs) await this.#repair(reason);
    }
    this.#isAsking = false;
  }

  /** What hangs in its end must not keep the next look from coming. */
  async #reopenWithin(limitMs: number): Promise<void> {
    const reason = await this.#within(limitMs, () => this.#part.reopen());
    if (reason !== undefined) throw new Error(reason);
  }

  /** @returns why it did not succeed in time */
  async #within(
    limitMs: number,
    act: (signal: AbortSignal) => Promise<void>,
  ): Promise<string | undefined> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), clampTimerMs(limitMs));
    const signal = AbortSignal.any([limit.signal, this.#stopped.signal]);
    const late = new Promise<string>((resolve) => {
      const tell = () => resolve(`no answer within ${formatDuration(limitMs)}`);
      signal.addEventListener('abort', tell, { once: true });
    });
    const done = act(signal).then(() => undefined, messageOf);
    try {
      return await Promise.race([done, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #succeeded(): void {
    this.#provenAtMs = monotonicMs();
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#options.onTrouble(this.#part.name, undefined);
  }

  async #repair(reason: string): Promise<void> {
    const { name } = this.#part;
    this.#isTold = true;
    const span = formatDuration(monotonicMs() - this.#provenAtMs);
    this.#options.onTrouble(name, `${name} has not worked for ${span}: ${reason}`);
    try {
      await this.#reopenWithin(this.#options.policy.provenWithinMs);
    } catch (thrown) {
      const again = `it could not be opened again: ${messageOf(thrown)}`;
      this.#options.onTrouble(name, `${name} does not work, and ${again}`);
    }
  }
}
