import type { GatewayAssignment } from './assignment.js';
import { errnoOf } from './errors.js';
import type { CrowdedTurn, GatewayReport } from './work.js';

/**
 * The channel between the supervisor and its cluster workers: one union per direction, one
 * parser each. Messages travel as JSON over node:cluster IPC.
 */

/** Where a gateway wants to be reached; the supervisor holds the socket across restarts. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

export type DrainReason = 'stop' | 'restart' | 'supervisor-lost';

export type ToWorker =
  /**
   * who you are; sent once, answered by phases and then `ready` or an exit. Not before `hello`:
   * node:cluster itself listens from the first moment, so what comes earlier is lost, not queued
   */
  | { readonly code: 'assign'; readonly assignment: GatewayAssignment }
  /** finish what runs within the budget, then exit: 0 for stop, 75 for restart */
  | { readonly code: 'drain'; readonly reason: DrainReason; readonly budgetMs: number }
  /** an operator is impatient: interrupt what still runs (of this guest alone) */
  | { readonly code: 'hurry'; readonly profile?: string | undefined }
  /**
   * be this profile too, besides your own (docs/multiplexing.md); sent once you are ready, answered
   * like `assign` by messages that carry the profile, and at the very end by `unserved`
   */
  | { readonly code: 'serve'; readonly assignment: GatewayAssignment }
  /** finish what runs of this guest and let go of it; also in the middle of its start */
  | {
      readonly code: 'unserve';
      readonly profile: string;
      readonly reason: DrainReason;
      readonly budgetMs: number;
    }
  /** the one reply to `listen` */
  | {
      readonly code: 'listen-result';
      readonly id: number;
      /** the address really bound (port 0 resolved) */
      readonly address: ListenAddress | undefined;
      /** errno name and text when it could not be bound */
      readonly error: { readonly errno: string; readonly text: string } | undefined;
    }
  /** carries one accepted socket as its handle */
  | { readonly code: 'connection'; readonly id: number };

/** Whom a message is about: a profile that the worker serves besides its own; absent: its own. */
interface About {
  readonly profile?: string | undefined;
}

export type FromWorker =
  /** booted and listening, not yet anybody: from now on messages arrive */
  | { readonly code: 'hello'; readonly pid: number; readonly version: string }
  /** start-up goes on; extends the start deadline by the lease (≤ 300 s each) */
  | (About & { readonly code: 'phase'; readonly phase: string; readonly leaseMs: number })
  /** the socket of this `connection` arrived: the next one of the same `listen` id may be sent */
  | { readonly code: 'taken'; readonly id: number }
  /** bind this address for me, or hand me the one you kept; ids are the worker's, not the guest's */
  | (About & { readonly code: 'listen'; readonly id: number; readonly address: ListenAddress })
  | (About & { readonly code: 'ready'; readonly report: GatewayReport })
  | (About & { readonly code: 'report'; readonly report: GatewayReport })
  | (About & { readonly code: 'degraded'; readonly detail: string })
  | (About & { readonly code: 'recovered' })
  | (About & { readonly code: 'processes-high' } & CrowdedTurn)
  /** a planned restart asked for from inside (a turn, an operator command in chat) */
  | (About & { readonly code: 'restart-wanted'; readonly detail: string })
  /** the last words before an exit: what the death record will say */
  | (About & {
      readonly code: 'farewell';
      readonly exitCode: number;
      readonly detail: string;
      readonly remedy: string;
    })
  /** the guest is closed, with the code that a process of its own would have ended with */
  | { readonly code: 'unserved'; readonly profile: string; readonly exitCode: number };

export type Parsed<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  /** not ours (another library's traffic on the channel): ignore, debug level */
  | { readonly kind: 'foreign' }
  /** our envelope, but not in the contract: an error that names the sender */
  | { readonly kind: 'broken'; readonly code: string };

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const DRAIN_REASONS: Readonly<Record<DrainReason, true>> = {
  stop: true,
  restart: true,
  'supervisor-lost': true,
};

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isObject: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isDrainReason: Check = (value) =>
  isText(value) && Object.hasOwn(DRAIN_REASONS, String(value));
const isReport: Check = (value) =>
  isObject(value) &&
  ['platforms', 'work', 'listen'].every((name) => Array.isArray((value as Fields)[name]));
const isAddress: Check = (value) => {
  if (!isObject(value)) return false;
  const { kind, host, port, path } = value as Fields;
  return kind === 'unix' ? isText(path) : kind === 'tcp' && isText(host) && isNumber(port);
};
const isListenError: Check = (value) =>
  isObject(value) && isText((value as Fields)['errno']) && isText((value as Fields)['text']);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const TO_WORKER_SHAPES: Readonly<Record<ToWorker['code'], Shape>> = {
  assign: { assignment: isObject },
  drain: { reason: isDrainReason, budgetMs: isNumber },
  hurry: { profile: optional(isText) },
  serve: { assignment: isObject },
  unserve: { profile: isText, reason: isDrainReason, budgetMs: isNumber },
  'listen-result': { id: isNumber, address: optional(isAddress), error: optional(isListenError) },
  connection: { id: isNumber },
};

const ABOUT: Shape = { profile: optional(isText) };

const FROM_WORKER_SHAPES: Readonly<Record<FromWorker['code'], Shape>> = {
  hello: { pid: isNumber, version: isText },
  phase: { ...ABOUT, phase: isText, leaseMs: isNumber },
  listen: { ...ABOUT, id: isNumber, address: isAddress },
  taken: { id: isNumber },
  ready: { ...ABOUT, report: isReport },
  report: { ...ABOUT, report: isReport },
  degraded: { ...ABOUT, detail: isText },
  recovered: ABOUT,
  'processes-high': { ...ABOUT, turn: isText, processes: isNumber, threshold: isNumber },
  'restart-wanted': { ...ABOUT, detail: isText },
  farewell: { ...ABOUT, exitCode: isNumber, detail: isText, remedy: isText },
  unserved: { profile: isText, exitCode: isNumber },
};

export function parseToWorker(raw: unknown): Parsed<ToWorker> {
  return parse<ToWorker>(raw, TO_WORKER_SHAPES);
}

export function parseFromWorker(raw: unknown): Parsed<FromWorker> {
  return parse<FromWorker>(raw, FROM_WORKER_SHAPES);
}

/** The codes of each direction, for the page and its test. */
export const TO_WORKER_CODES = Object.keys(TO_WORKER_SHAPES) as ToWorker['code'][];
export const FROM_WORKER_CODES = Object.keys(FROM_WORKER_SHAPES) as FromWorker['code'][];

/** A listen error as the wire carries it. */
export function toListenError(thrown: unknown): { errno: string; text: string } {
  return {
    errno: errnoOf(thrown) ?? 'UNKNOWN',
    text: thrown instanceof Error ? thrown.message : String(thrown),
  };
}

function parse<Message>(raw: unknown, shapes: Readonly<Record<string, Shape>>): Parsed<Message> {
  if (typeof raw !== 'object' || raw === null || !('code' in raw)) return { kind: 'foreign' };
  const { code } = raw;
  if (typeof code !== 'string') return { kind: 'foreign' };
  const shape = Object.hasOwn(shapes, code) ? shapes[code] : undefined;
  if (shape === undefined || !fits(raw, shape)) return { kind: 'broken', code };
  // the only cast of this channel: `fits` has just checked the fields
  return { kind: 'message', message: raw as Message };
}

type Fields = Readonly<Record<string, unknown>>;

function fits(raw: object, shape: Shape): boolean {
  const fields = raw as Fields;
  return Object.entries(shape).every(([name, check]) => check(fields[name]));
}
