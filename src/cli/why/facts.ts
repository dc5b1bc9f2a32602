import type { Cause, Death } from '../../core/death.js';
import type { Desired, ProfileStatus } from '../../core/status.js';
import type { EvidenceKind } from '../../core/watch.js';
import type { EarlierLife } from '../../store/index.js';
import type { EvidenceNote } from '../../watchdog/newest-evidence.js';
import type { LiveGateway } from '../live-gateways.js';
import type { UnitSight } from '../units/sights.js';

/** Everything that `why` depends on while a supervisor answers. */
export interface WhyFacts {
  readonly profile: ProfileStatus;
  /** newest last; may be empty where the history is not readable */
  readonly deaths: readonly Death[];
  /** the newest that a watchdog wrote down about it; undefined: nothing, as far as is known */
  readonly evidence: EvidenceSeen | undefined;
  readonly nowMs: number;
}

/** What the history knows of one file of evidence. */
export interface EvidenceSeen {
  readonly kind: EvidenceKind;
  readonly atMs: number;
  /** one clause: `blocked in handle (/srv/tool.js:12:3)` */
  readonly where: string;
  /** undefined: it was not written */
  readonly path: string | undefined;
}

/** The same when none answers: what the store still knows. */
export interface StoredWhyFacts {
  readonly name: string;
  readonly desired: Desired | undefined;
  readonly deaths: readonly Death[];
  /** of the newest run; undefined: it never ran */
  readonly lastGeneration: number | undefined;
  /** the gateway that serves it without a supervisor, or while that is silent */
  readonly live: LiveGateway | undefined;
  /** how the newest of its lives ended, as its own record says */
  readonly life: EarlierLife;
  /** the newest that its watchdog wrote down */
  readonly note: EvidenceNote | undefined;
  /** the unit that is to run it, or its supervisor */
  readonly unit: UnitSight | undefined;
  /** how what runs it is started */
  readonly start: string;
  /** pids that carry its tag although nobody owns them */
  readonly left: readonly number[];
  readonly counters: Readonly<Partial<Record<Cause, number>>>;
  /** one clause: `no supervisor runs`, `the supervisor (pid 7) does not answer` */
  readonly supervisor: string;
  /** what its last run printed last, from its log */
  readonly lastLines: readonly string[];
  readonly nowMs: number;
}

/** The answer of `why`, still without widths and colours. */
export interface Why {
  readonly paragraph: string;
  /** newest lines of its stderr */
  readonly lastLines: readonly string[];
  /** path of an evidence file */
  readonly evidence: string | undefined;
  /** what the operator can do, one sentence */
  readonly todo: string;
}

/** The newest end of a generation, from either source. */
export interface LastEnd {
  readonly how: string;
  readonly cause: Cause;
  readonly uptimeMs: number;
  readonly atMs: number;
  readonly detail: string | undefined;
  readonly evidence: string | undefined;
  /** undefined: not known; false: it never was */
  readonly wasReady: boolean | undefined;
  /** nobody was there to see it: only its generation tells which run is meant; undefined: seen */
  readonly unseenGeneration: number | undefined;
}
