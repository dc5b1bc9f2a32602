const LOOK_EVERY_MS = 30_000;

export interface GaugeReading {
  readonly processes: number;
  /** more than this is an alarm */
  readonly threshold: number;
}

export interface Gauged<Reading> {
  /** those to tell of now: once for each time that the threshold is crossed */
  readonly alarms: readonly Reading[];
  /** names of those above their threshold */
  readonly above: ReadonlySet<string>;
}

export function judgeReadings<Reading extends GaugeReading>(
  readings: readonly Reading[],
  nameOf: (reading: Reading) => string,
  above: ReadonlySet<string>,
): Gauged<Reading> {
  const high = readings.filter(({ processes, threshold }) => processes > threshold);
  return {
    alarms: high.filter((reading) => !above.has(nameOf(reading))),
    above: new Set(high.map(nameOf)),
  };
}

export interface GaugeFacts<Reading extends GaugeReading> {
  readonly read: () => Promise<readonly Reading[]>;
  readonly nameOf: (reading: Reading) => string;
  readonly alarm: (reading: Reading) => void;
  readonly everyMs?: number;
}

/** Counts what is alive from time to time: a leak shows long before it hurts. */
export class LeakGauge<Reading extends GaugeReading> {
  readonly #facts: GaugeFacts<Reading>;
  #above: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(facts: GaugeFacts<Reading>) {
    this.#facts = facts;
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#facts.everyMs ?? LOOK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const readings = await this.#facts.read();
    if (this.#isStopped) return;
    const { above, alarms } = judgeReadings(readings, this.#facts.nameOf, this.#above);
    this.#above = above;
    for (const reading of alarms) this.#facts.alarm(reading);
    this.start();
  }
}
