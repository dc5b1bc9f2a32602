/** More than any gateway with its tools needs; a profile's own limit comes first. */
export const ALARM_PROCESSES = 64;

const LOOK_EVERY_MS = 30_000;

export interface GaugeReading {
  readonly profile: string;
  readonly processes: number;
  /** more than this is an alarm */
  readonly threshold: number;
}

export interface Gauged {
  /** those to tell of now: once for each time that the threshold is crossed */
  readonly alarms: readonly GaugeReading[];
  /** profiles above their threshold */
  readonly above: ReadonlySet<string>;
}

export function judgeReadings(
  readings: readonly GaugeReading[],
  above: ReadonlySet<string>,
): Gauged {
  const high = readings.filter(({ processes, threshold }) => processes > threshold);
  return {
    alarms: high.filter(({ profile }) => !above.has(profile)),
    above: new Set(high.map(({ profile }) => profile)),
  };
}

export interface GaugeFacts {
  readonly read: () => Promise<readonly GaugeReading[]>;
  readonly alarm: (reading: GaugeReading) => void;
  readonly everyMs?: number;
}

/** Counts the processes of each profile from time to time: a leak shows long before it hurts. */
export class LeakGauge {
  readonly #facts: GaugeFacts;
  #above: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(facts: GaugeFacts) {
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
    const { above, alarms } = judgeReadings(readings, this.#above);
    this.#above = above;
    for (const reading of alarms) this.#facts.alarm(reading);
    this.start();
  }
}
