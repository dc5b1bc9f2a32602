import type { GuardBudget } from './budgets.js';

/**
 * The watchdogs' numbers and what their threads and the supervisor tell each other (design §8).
 * The thread speaks over a pipe of its own: neither the loop nor the IPC channel is needed.
 */

/** All milliseconds, unless the name says otherwise. */
export interface WatchPolicy {
  /** how often the loop moves the counter, and the thread looks at it, while all is well */
  readonly sampleMs: number;
  /** the loop is this late: evidence, and the profile is degraded */
  readonly warnAfterMs: number;
  /** one strike for each of these without a movement … */
  readonly strikeMs: number;
  /** … and the end at this many */
  readonly strikes: number;
  /** movements in a row after which a late loop counts as well again */
  readonly recoverSamples: number;
  /** between two signs of life of the thread */
  readonly beatMs: number;
  /** silence of the thread after which its process is ended */
  readonly silenceMs: number;
  /** everything but the end */
  readonly warnOnly: boolean;
  /** how often each part of a gateway has to prove that it works … */
  readonly proveMs: number;
  /** … and the age of its last proof at which it is opened again */
  readonly provenWithinMs: number;
}

export const DEFAULT_WATCH_POLICY: WatchPolicy = Object.freeze({
  // no longer than the warning: each wake of an idle process costs, and who is late is looked at
  // more often
  sampleMs: 5000,
  // a person notices; garbage collection, a large answer or a slow disk are long over
  warnAfterMs: 5000,
  // one miss never kills: 90 s without one movement of the loop are no load but a loop
  strikeMs: 30_000,
  strikes: 3,
  recoverSamples: 2,
  beatMs: 30_000,
  // three beats: one may be dropped by a full pipe, one may be under way
  silenceMs: 90_000,
  warnOnly: false,
  proveMs: 60_000,
  // three proofs
  provenWithinMs: 180_000,
});

/** Where a worker of ours finds the pipe to the supervisor: after stdio and the IPC channel. */
export const WATCH_PIPE_FD = 4;

/** Tells a worker that the pipe is there; without it the descriptor is somebody else's. */
export const WATCH_PIPE_ARGUMENT = `--watch-pipe=${WATCH_PIPE_FD}`;

/** What a file of evidence is about. */
export const EVIDENCE_KINDS = [
  'loop-late',
  'stall',
  'start-timeout',
  'stop-timeout',
  'inactive-turn',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Ends that are decided beforehand: what has to happen did not. */
export type EndingKind = Extract<EvidenceKind, 'start-timeout' | 'stop-timeout'>;

/** Whom a thread watches over, and how; sent again whenever something of it changes. */
export interface WatchOrder {
  /** undefined: the supervisor itself, or a worker that nobody has told who it is */
  readonly profile: string | undefined;
  readonly generation: number;
  /** made when it is needed; undefined: nobody has said where */
  readonly evidenceDir: string | undefined;
  /** writes nothing there before its process is this account's; undefined: nobody else's */
  readonly uid?: number | undefined;
  readonly policy: WatchPolicy;
}

export type ToWatch =
  | { readonly code: 'watch'; readonly order: WatchOrder }
  /** write down where the loop is and answer with `evidence` */
  | { readonly code: 'dump'; readonly kind: EvidenceKind }
  /**
   * when the process still lives (still starts) after so long, write down why and end it;
   * undefined: that is settled
   */
  | {
      readonly code: 'ending';
      readonly kind: EndingKind;
      readonly budget: GuardBudget | undefined;
    };

export type FromWatch =
  | { readonly code: 'beat'; readonly lateMs: number }
  | {
      readonly code: 'evidence';
      /** another profile that the process serves; left out: its own */
      readonly profile?: string | undefined;
      readonly kind: EvidenceKind;
      /** undefined when it was not written */
      readonly path: string | undefined;
      /** why it could not be written */
      readonly unwritten: string | undefined;
      /** one clause: `blocked in handle (/srv/tool.js:12:3)` */
      readonly where: string;
      readonly lateMs: number;
      /** the process ends itself right after this */
      readonly fatal: boolean;
    }
  /** the loop moves again */
  | { readonly code: 'recovered' };

export type KeptEvidence = Extract<FromWatch, { code: 'evidence' }>;

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === 'boolean';
const isObject: Check = (value) => typeof value === 'object' && value !== null;
const isKind: Check = (value) => EVIDENCE_KINDS.some((kind) => kind === value);
const isBudget: Check = (value) =>
  isObject(value) && ['withinMs', 'patienceMs'].every((name) => isNumber((value as Fields)[name]));
const isOptionalText: Check = (value) => value === undefined || isText(value);

const TO_WATCH: Readonly<Record<ToWatch['code'], Readonly<Record<string, Check>>>> = {
  watch: { order: isObject },
  dump: { kind: isKind },
  ending: { kind: isKind, budget: (value) => value === undefined || isBudget(value) },
};

const FROM_WATCH: Readonly<Record<FromWatch['code'], Readonly<Record<string, Check>>>> = {
  beat: { lateMs: isNumber },
  evidence: {
    profile: isOptionalText,
    kind: isKind,
    path: isOptionalText,
    unwritten: isOptionalText,
    where: isText,
    lateMs: isNumber,
    fatal: isFlag,
  },
  recovered: {},
};

/** One message per line; undefined for what is not in the contract, such as half a line. */
export function parseToWatch(line: string): ToWatch | undefined {
  return parse<ToWatch>(line, TO_WATCH);
}

export function parseFromWatch(line: string): FromWatch | undefined {
  return parse<FromWatch>(line, FROM_WATCH);
}

function parse<Message>(
  line: string,
  shapes: Readonly<Record<string, Readonly<Record<string, Check>>>>,
): Message | undefined {
  const raw = readJson(line);
  if (!isObject(raw)) return undefined;
  const fields = raw as Fields;
  const code = String(fields['code']);
  const shape = Object.hasOwn(shapes, code) ? shapes[code] : undefined;
  if (shape === undefined) return undefined;
  const fits = Object.entries(shape).every(([name, check]) => check(fields[name]));
  // the only cast of this channel: the fields were just checked
  return fits ? (raw as Message) : undefined;
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
