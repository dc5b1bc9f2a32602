import type { GatewayReport } from '../core/work.js';
import type { GatewayLink } from './link/port.js';

export interface ReporterOptions {
  readonly link: GatewayLink;
  /** reports in between are merged into the next one */
  readonly intervalMs: number;
  readonly collect: () => GatewayReport;
}

/** Tells the link what the gateway is doing, and what is wrong with it, as it changes. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #troubles = new Map<string, string>();
  #pause: NodeJS.Timeout | undefined;
  #isDirty = false;
  #isReady = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Everything that is wrong, in one line; undefined: nothing. */
  get trouble(): string | undefined {
    return this.#troubles.size === 0 ? undefined : [...this.#troubles.values()].join('; ');
  }

  current(): GatewayReport {
    return this.#options.collect();
  }

  /** Nobody hears of troubles before this: until then the start itself is what is told. */
  ready(): void {
    this.#isReady = true;
    this.#options.link.ready(this.#options.collect());
    if (this.trouble !== undefined) this.#options.link.degraded(this.trouble);
  }

  changed(): void {
    this.#isDirty = true;
    if (this.#isReady && this.#pause === undefined) this.#send();
  }

  /** `detail` undefined: this source is well again. */
  setTrouble(source: string, detail: string | undefined): void {
    const before = this.trouble;
    if (detail === undefined) this.#troubles.delete(source);
    else this.#troubles.set(source, detail);
    const after = this.trouble;
    if (!this.#isReady || before === after) return;
    if (after === undefined) this.#options.link.recovered();
    else this.#options.link.degraded(after);
  }

  stop(): void {
    clearTimeout(this.#pause);
    this.#isReady = false;
  }

  #send(): void {
    this.#isDirty = false;
    this.#options.link.report(this.#options.collect());
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isDirty) this.changed();
    }, this.#options.intervalMs).unref();
  }
}
