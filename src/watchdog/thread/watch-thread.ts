import { FIXED_BUDGETS, type GuardBudget } from '../../core/budgets.js';
import { clampTimerMs } from '../../core/durations.js';
import { messageOf } from '../../core/errors.js';
import type {
  EndingKind,
  EvidenceKind,
  FromWatch,
  KeptEvidence,
  ToWatch,
  WatchOrder,
} from '../../core/watch.js';
import { describePlace, type Place } from '../describe-place.js';
import { type Ending, expectEnding, judgeEnding } from '../judge-ending.js';
import {
  firstLateness,
  forgiveLateness,
  forgiveStrikes,
  judgeLateness,
  type Lateness,
  type LatenessVerdict,
  type Sample,
} from '../judge-lateness.js';
import type { SharedCounters } from '../shared-counters.js';
import type { Guest } from '../turn-messages.js';
import { evidenceName, writeEvidence } from './evidence-folder.js';
import { gatherEvidence } from './gather-evidence.js';
import type { TurnProcesses } from './reap-turn.js';
import type { StolenTime } from './stolen-time.js';
import type { WatchedTurns } from './watched-turns.js';

export interface ThreadParts {
  readonly counters: SharedCounters;
  readonly turns: WatchedTurns;
  readonly stolen: StolenTime;
  readonly nowMs: () => number;
  readonly readPlace: () => Place;
  readonly tell: (message: FromWatch) => void;
  readonly reap: (turn: TurnProcesses) => void;
  /** one line for whoever reads the process's output */
  readonly say: (line: string) => void;
  /** the end of this process, at once */
  readonly end: () => void;
  readonly order: WatchOrder;
}

/** Watches one loop from beside it. Everything in here is synchronous: there may be no later. */
export class WatchThread {
  readonly #parts: ThreadParts;
  #order: WatchOrder;
  #lateness: Lateness;
  #beatAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #everyMs = 0;
  #countedAtMs = 0;
  /** what has to happen soon, or else */
  #ending: Ending | undefined;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    this.#order = parts.order;
    this.#lateness = firstLateness(parts.nowMs(), parts.counters.tick);
  }

  start(): void {
    this.#adopt(this.#order);
    this.#look();
  }

  /** Nobody is watched any more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  take(message: ToWatch): void {
    switch (message.code) {
      case 'watch':
        this.#adopt(message.order);
        return;
      case 'dump':
        this.#keep(message.kind);
        return;
      case 'ending': {
        this.#expectEnd(message.kind, message.budget);
        return;
      }
      default:
        message satisfies never;
    }
  }

  /** The loop has given up a turn: where it is, before the turn's end frees it. */
  gaveUp(guest: Guest | undefined): void {
    this.#keep('inactive-turn', { guest });
  }

  #expectEnd(kind: EndingKind, budget: GuardBudget | undefined): void {
    // what was before does not count
    if (this.#ending === undefined) this.#countedAtMs = this.#parts.nowMs();
    this.#ending = expectEnding(this.#ending, kind, budget);
    this.#lookEvery();
  }

  /**
   * Seldom as long as all is well: each look and each tick wakes a process that has nothing to do.
   * An end must not come late by a whole interval of an idle loop: others kill after us.
   */
  #lookEvery(): void {
    const { sampleMs } = this.#order.policy;
    const isQuiet = this.#lateness.unmovedMs === 0 && !this.#lateness.isLate;
    const alertMs = isQuiet ? sampleMs : Math.min(sampleMs, ALERT_LOOK_MS);
    this.#parts.counters.tickEveryMs = alertMs;
    const everyMs =
      this.#ending === undefined ? alertMs : Math.min(alertMs, FIXED_BUDGETS.guardLookMs);
    if (everyMs === this.#everyMs) return;
    this.#everyMs = everyMs;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), clampTimerMs(everyMs));
  }

  #adopt(order: WatchOrder): void {
    this.#order = order;
    // whoever has just told us waits for a first sign of life
    this.#beatAtMs = Number.NEGATIVE_INFINITY;
    this.#lookEvery();
  }

  #look(): void {
    const { counters, stolen, nowMs } = this.#parts;
    const before = this.#lateness;
    const { tick } = counters;
    const hasMoved = tick !== before.tick;
    if (hasMoved && this.#ending === undefined) stolen.forget();
    const stolenMs = hasMoved && this.#ending === undefined ? 0 : stolen.look();
    const sample = { atMs: nowMs(), tick, stolenMs, lookMs: this.#everyMs };
    const { lateness, verdict } = judgeLateness(before, sample, this.#order.policy);
    this.#lateness = lateness;
    counters.isLate = lateness.isLate;
    this.#lookEvery();
    // before the beat: what is told last should be the truth
    this.#follow(verdict);
    this.#reapOverdue(sample.atMs);
    this.#beat(sample.atMs);
    this.#countDown(sample);
  }

  #follow(verdict: LatenessVerdict): void {
    switch (verdict) {
      case 'ok':
      case 'forgiven':
      case 'strike':
        return;
      case 'warn':
        this.#warn();
        return;
      case 'recovered':
        this.#parts.tell({ code: 'recovered' });
        return;
      case 'stalled':
        this.#stall();
        return;
      default:
        verdict satisfies never;
    }
  }

  #warn(): void {
    const place = this.#parts.readPlace();
    if (!this.#isBack(place)) {
      this.#keep('loop-late', { place });
      return;
    }
    this.#lateness = forgiveLateness(this.#lateness);
    this.#parts.counters.isLate = false;
  }

  /** Looking takes time in which a starved loop may have come back: nobody is blamed for that. */
  #isBack(place: Place): boolean {
    return place.kind === 'idle' || this.#parts.counters.tick !== this.#lateness.tick;
  }

  #stall(): void {
    const { warnOnly } = this.#order.policy;
    const place = this.#parts.readPlace();
    if (this.#isBack(place)) {
      this.#lateness = forgiveStrikes(this.#lateness);
      return;
    }
    const told = this.#keep('stall', { fatal: !warnOnly, place });
    if (warnOnly) return;
    this.#reapOverdue(this.#parts.nowMs());
    this.#endWith(told);
  }

  /** Only turns past their own limit: what the others started may still be wanted. */
  #reapOverdue(nowMs: number): void {
    const { turns, reap } = this.#parts;
    const { sampleMs } = this.#order.policy;
    const overdue = turns.claimOverdue(nowMs, sampleMs * LOOP_FIRST_SAMPLES);
    if (overdue.length === 0) return;
    // first where it is: what follows frees the frame that it waits in
    const guests = new Map(overdue.map(({ owner: { guest } }) => [guest?.profile, guest]));
    for (const guest of guests.values()) this.#keep('inactive-turn', { guest });
    for (const { turn, owner } of overdue) {
      reap({ turnId: turn.turnId, kept: turn.kept, place: owner.place });
    }
  }

  #beat(nowMs: number): void {
    const { beatMs } = this.#order.policy;
    if (nowMs - this.#beatAtMs < beatMs) return;
    this.#beatAtMs = nowMs;
    this.#parts.tell({ code: 'beat', lateMs: this.#lateMs });
  }

  #countDown({ atMs: nowMs, lookMs, stolenMs }: Sample): void {
    const before = this.#ending;
    if (before === undefined) return;
    const passedMs = nowMs - this.#countedAtMs;
    this.#countedAtMs = nowMs;
    const { ending, isOver } = judgeEnding(before, { passedMs, lookMs, stolenMs });
    this.#ending = isOver ? undefined : ending;
    if (isOver) this.#endWith(this.#keep(ending.kind, { fatal: true }));
  }

  #endWith(told: string): void {
    this.#parts.say(`gatewarden: watchdog: ${told}; ending pid ${process.pid}`);
    this.#parts.end();
  }

  get #lateMs(): number {
    return Math.max(0, Math.round(this.#lateness.unmovedMs - this.#order.policy.sampleMs));
  }

  /** Writes down what is known and tells of it; a disk that takes nothing stops neither. */
  #keep(kind: EvidenceKind, about: About = {}): string {
    const { counters, tell, turns, nowMs } = this.#parts;
    const { fatal = false, guest, place = this.#place() } = about;
    const order = { ...this.#order, ...guest };
    const at = new Date();
    const evidence = gatherEvidence({
      kind,
      at,
      order,
      place,
      lateMs: this.#lateMs,
      strikes: this.#lateness.strikes,
      delays: counters.delays,
      turns: turns.list(nowMs(), guest?.profile),
      fatal,
    });
    const name = evidenceName(kind, at, process.pid);
    const written = this.#write(order, name, `${JSON.stringify(evidence, undefined, 2)}\n`);
    const where = describePlace(place);
    const { profile } = guest ?? {};
    tell({ code: 'evidence', profile, kind, ...written, where, lateMs: this.#lateMs, fatal });
    return `${kind}: ${where}`;
  }

  #place(): Place {
    return this.#lateness.moves > 0 ? { kind: 'idle' } : this.#parts.readPlace();
  }

  #write(
    { evidenceDir, uid }: WatchOrder,
    name: string,
    text: string,
  ): Pick<KeptEvidence, 'path' | 'unwritten'> {
    if (evidenceDir === undefined) return { path: undefined, unwritten: undefined };
    try {
      // root in a directory of somebody else can be led anywhere by a link
      if (uid !== undefined && process.geteuid?.() !== uid) {
        throw new Error(`it is not yet run as uid ${uid}`);
      }
      return { path: writeEvidence(evidenceDir, name, text), unwritten: undefined };
    } catch (thrown) {
      const unwritten = messageOf(thrown);
      this.#parts.say(`gatewarden: watchdog: evidence was not written: ${unwritten}`);
      return { path: undefined, unwritten };
    }
  }
}

interface About {
  /** its process ends right after it */
  readonly fatal?: boolean;
  /** where the loop is, when that was read already */
  readonly place?: Place;
  /** whose it is; undefined: the process's own */
  readonly guest?: Guest | undefined;
}

/** Once the counter was met where it had been before. */
const ALERT_LOOK_MS = 1000;

/** The loop has a timer of its own for each turn; if it runs at all, it is the first to act. */
const LOOP_FIRST_SAMPLES = 3;
