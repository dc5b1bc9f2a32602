import type { HostConfig } from '../../src/config/model.js';
import { profileLayout } from '../../src/config/paths.js';
import {
  currentLogPath,
  LineRate,
  RotatingLog,
  renderLogLine,
} from '../../src/observability/index.js';
import type { EventHub } from '../events/event-hub.js';
import type { OutputStream } from '../generation/generation.js';
import type { SupervisorLog } from './supervisor-log.js';

export interface ProfileLogsFacts {
  readonly home: string;
  readonly host: () => HostConfig;
  readonly hub: EventHub;
  readonly log: SupervisorLog;
}

interface OpenLog {
  readonly file: RotatingLog;
  readonly rate: LineRate;
  /** tells what was dropped also when nothing is printed any more */
  tellTimer: NodeJS.Timeout | undefined;
}

/** A little longer than the interval in which dropped lines are told. */
const TELL_AFTER_MS = 6000;

/** Everything that children print, a file a profile, capped in size and in lines a second. */
export class ProfileLogs {
  readonly #facts: ProfileLogsFacts;
  readonly #open = new Map<string, OpenLog>();

  constructor(facts: ProfileLogsFacts) {
    this.#facts = facts;
  }

  line(profile: string, stream: OutputStream, text: string): void {
    const open = this.#of(profile);
    const at = Date.now();
    if (open.rate.admit(at)) {
      open.file.writeLine(renderLogLine({ at, stream: STREAMS[stream], text }));
    } else {
      open.tellTimer ??= setTimeout(() => {
        open.tellTimer = undefined;
        this.#tellDropped(profile, open, open.rate.takeAllDropped());
      }, TELL_AFTER_MS).unref();
    }
    this.#tellDropped(profile, open, open.rate.takeDropped(at));
  }

  /** A child said something on its channel that no version of ours says. */
  contractBroken(profile: string, code: string): void {
    this.#facts.log.write({
      level: 'error',
      message: 'sent a message that is not in the contract',
      fields: { profile, code },
    });
  }

  noticesFor(profile: string): string[] {
    const open = this.#open.get(profile);
    if (open === undefined) return [];
    const { failing } = open.file;
    const dropped = open.rate.droppedTotal + open.file.droppedLines;
    return [
      ...(failing === undefined ? [] : [`its log is not being written: ${failing}`]),
      ...(dropped === 0 ? [] : [`${dropped} lines of its output were dropped from the log`]),
    ];
  }

  supervisorTrouble(): string | undefined {
    return this.#facts.log.trouble;
  }

  close(profile: string): void {
    const open = this.#open.get(profile);
    this.#open.delete(profile);
    clearTimeout(open?.tellTimer);
    void open?.file.close();
  }

  async closeAll(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { tellTimer } of open) clearTimeout(tellTimer);
    await Promise.all(open.map(({ file }) => file.close()));
  }

  #tellDropped(profile: string, open: OpenLog, lines: number | undefined): void {
    if (lines === undefined) return;
    const text = `${lines} lines dropped: more than the log takes`;
    open.file.writeLine(renderLogLine({ at: Date.now(), stream: 'sys', text }));
    this.#facts.hub.publish({ code: 'log-dropped', profile, lines });
  }

  #of(profile: string): OpenLog {
    const existing = this.#open.get(profile);
    if (existing !== undefined) return existing;
    const { maxBytes, files, linesPerSecond } = this.#facts.host().log;
    const path = currentLogPath(profileLayout(this.#facts.home, profile).logDir);
    const opened: OpenLog = {
      rate: new LineRate({ linesPerSecond }),
      file: new RotatingLog({ path, maxBytes, files }),
      tellTimer: undefined,
    };
    this.#open.set(profile, opened);
    return opened;
  }
}

const STREAMS = { stdout: 'out', stderr: 'err' } as const satisfies Record<OutputStream, string>;
