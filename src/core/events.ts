import type { Death } from './death.js';
import type { ParkReason, RetriesOn } from './judge.js';
import type { LifecycleEvent, ProfileState } from './lifecycle.js';
import type { GatewayPlace, Move } from './moves.js';
import type { EvidenceKind } from './watch.js';
import type { Hold } from './work.js';

export const VERBS = ['start', 'stop', 'restart', 'reload'] as const;
export type Verb = (typeof VERBS)[number];

/** Everything that happens, as it happens: `gatewarden events`, the history, the log. */
export type SupervisorEvent =
  | { readonly code: 'supervisor-started'; readonly pid: number; readonly version: string }
  | { readonly code: 'supervisor-draining'; readonly reason: string }
  | { readonly code: 'supervisor-stopped' }
  | {
      readonly code: 'state';
      readonly profile: string;
      readonly from: ProfileState;
      readonly to: ProfileState;
      readonly because: LifecycleEvent;
    }
  | {
      readonly code: 'spawned';
      readonly profile: string;
      readonly generation: number;
      readonly pid: number;
    }
  | {
      readonly code: 'phase';
      readonly profile: string;
      readonly phase: string;
    }
  | {
      readonly code: 'ready';
      readonly profile: string;
      readonly generation: number;
      readonly tookMs: number;
    }
  | { readonly code: 'died'; readonly profile: string; readonly death: Death }
  | { readonly code: 'restart-in'; readonly profile: string; readonly delayMs: number }
  | {
      readonly code: 'parked';
      readonly profile: string;
      readonly reason: ParkReason;
      readonly detail: string;
      readonly remedy: string;
      readonly retriesOn: RetriesOn;
    }
  | { readonly code: 'unparked'; readonly profile: string; readonly because: LifecycleEvent }
  | {
      readonly code: 'storm';
      readonly profile: string;
      readonly deaths: number;
      readonly windowMs: number;
    }
  | {
      readonly code: 'verb';
      readonly profile: string;
      readonly verb: Verb;
      /** who asked: `cli`, `api`, `signal`, `gateway` */
      readonly by: string;
    }
  | ({ readonly code: 'moved' } & Move)
  /** it did not come up there, so it is started again where it was */
  | {
      readonly code: 'move-failed';
      readonly profile: string;
      readonly to: GatewayPlace;
      readonly detail: string;
    }
  | { readonly code: 'degraded'; readonly profile: string; readonly detail: string }
  | { readonly code: 'recovered'; readonly profile: string }
  /** it goes on with what it has and takes nothing new */
  | {
      readonly code: 'held';
      readonly profile: string;
      readonly kind: Hold['kind'];
      readonly by: string;
    }
  | { readonly code: 'released'; readonly profile: string }
  | {
      readonly code: 'evidence';
      /** undefined: the supervisor's own loop */
      readonly profile: string | undefined;
      readonly kind: EvidenceKind;
      /** undefined when it was not written */
      readonly path: string | undefined;
      /** why it could not be written */
      readonly unwritten?: string | undefined;
      readonly where: string;
      readonly lateMs: number;
    }
  | {
      readonly code: 'reloaded';
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
      /** who is to run elsewhere; undefined in events of earlier versions */
      readonly moves?: readonly Move[];
    }
  | { readonly code: 'reload-refused'; readonly problems: string }
  /** told once: what it is told afterwards may not arrive either */
  | { readonly code: 'manager-unheard'; readonly detail: string }
  | {
      readonly code: 'unclean-exit';
      /** empty: an earlier supervisor */
      readonly profile: string;
      /** `pid 12 ended without a word; last sign of life 8s before, 512 MiB` */
      readonly detail: string;
    }
  | { readonly code: 'store-failing'; readonly detail: string }
  | { readonly code: 'store-recovered'; readonly written: number }
  | { readonly code: 'log-dropped'; readonly profile: string; readonly lines: number }
  | {
      readonly code: 'leftovers-ended';
      readonly profile: string;
      readonly pids: readonly number[];
    }
  | {
      readonly code: 'survivors';
      readonly profile: string;
      readonly pids: readonly number[];
    }
  | {
      readonly code: 'processes-high';
      readonly profile: string;
      /** whose they are; undefined: of all turns together, the gateway included */
      readonly turn?: string;
      readonly processes: number;
      readonly threshold: number;
    };

export type EventCode = SupervisorEvent['code'];

/** Written out so that the page and the metrics can be checked against it; the compiler closes it. */
const EVENT_CODE_SET: Readonly<Record<EventCode, true>> = {
  'supervisor-started': true,
  'supervisor-draining': true,
  'supervisor-stopped': true,
  state: true,
  spawned: true,
  phase: true,
  ready: true,
  died: true,
  'restart-in': true,
  parked: true,
  unparked: true,
  storm: true,
  verb: true,
  moved: true,
  'move-failed': true,
  degraded: true,
  recovered: true,
  held: true,
  released: true,
  evidence: true,
  reloaded: true,
  'reload-refused': true,
  'manager-unheard': true,
  'unclean-exit': true,
  'store-failing': true,
  'store-recovered': true,
  'log-dropped': true,
  'leftovers-ended': true,
  survivors: true,
  'processes-high': true,
};
export const EVENT_CODES = Object.keys(EVENT_CODE_SET) as EventCode[];

/** An event with its place in the stream; cursors grow by one and survive restarts of the supervisor. */
export interface RecordedEvent {
  readonly cursor: number;
  /** epoch milliseconds */
  readonly at: number;
  readonly event: SupervisorEvent;
}

/** The profile an event is about; undefined for the supervisor's own and for nobody's. */
export function profileOf(event: SupervisorEvent): string | undefined {
  return 'profile' in event && event.profile !== '' ? event.profile : undefined;
}

export function holdEvent(profile: string, hold: Hold | undefined): SupervisorEvent {
  return hold === undefined
    ? { code: 'released', profile }
    : { code: 'held', profile, kind: hold.kind, by: hold.by };
}
