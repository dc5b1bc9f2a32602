// Longer than 300 lines because the deadlines, the budgets and the evidence of one generation share
// one timer and one end.
import { guardBudget } from '../../src/core/budgets.js';
import { type ExitEvidence, NO_EVIDENCE } from '../../src/core/death.js';
import { clampTimerMs } from '../../src/core/durations.js';
import { type DrainReason, type ListenAddress, toListenError } from '../../src/core/ipc.js';
import { maskSecrets } from '../../src/core/secret.js';
import { Troubles } from '../../src/core/troubles.js';
import type { KeptEvidence } from '../../src/core/watch.js';
import { type CrowdedTurn, EMPTY_REPORT, type GatewayReport } from '../../src/core/work.js';
import type {
  Generation,
  GenerationExit,
  GenerationListener,
  OutputStream,
} from '../generation/generation.js';
import { GenerationWatch } from '../watch/generation-watch.js';
import { isOverdue } from '../watch/judge-overdue.js';
import { type DeathFacts, recordDeath, type StopTimes, witnessedBy } from './death-record.js';
import { LastLines } from './last-lines.js';
import type { RunFacts, RunListener } from './run-contract.js';
import { extendDeadline, firstDeadline } from './start-deadline.js';

/** One generation from spawn to an empty tree: deadlines, budgets, evidence. */
export class GenerationRun implements GenerationListener {
  readonly number: number;
  readonly spawnedAt = Date.now();
  readonly lastLines = new LastLines();
  readonly #facts: RunFacts;
  readonly #listener: RunListener;
  #generation: Generation | undefined;
  #report: GatewayReport = EMPTY_REPORT;
  #readyAt: number | undefined;
  #phase: string | undefined;
  #deadlineAt: number;
  #stop: StopTimes | undefined;
  #timer: NodeJS.Timeout | undefined;
  #evidence: ExitEvidence = NO_EVIDENCE;
  #farewell: { detail: string; remedy: string } | undefined;
  #ended = false;
  readonly #troubles = new Troubles();
  readonly #watch: GenerationWatch | undefined;
  #lostBecause: string | undefined;
  #killedAt: number | undefined;

  /** @param spawn starts the process; its words go to the listener that it is given */
  constructor(
    facts: RunFacts,
    spawn: (listener: GenerationListener) => Generation,
    listener: RunListener,
  ) {
    this.#facts = facts;
    this.#listener = listener;
    this.number = facts.number;
    this.#deadlineAt = firstDeadline(this.spawnedAt, facts.policy.start);
    this.#armDeadline();
    this.#generation = spawn(this);
    this.#watch = this.#watchOver(this.#generation);
  }

  get pid(): number | undefined {
    return this.#generation?.pid;
  }
  get generation(): Generation | undefined {
    return this.#generation;
  }
  /** epoch milliseconds of the last sign of life of its watchdog; undefined: none yet, or never */
  get lastBeatAt(): number | undefined {
    return this.#watch?.lastBeatAt;
  }
  /** it should have been ended, and those who should have done it have failed */
  get isOverdue(): boolean {
    const { policy, watch } = this.#facts;
    const facts = {
      now: Date.now(),
      lateSince: this.#watch?.lateSince,
      killedAt: this.#killedAt,
    };
    return !this.#ended && isOverdue(facts, { watch: watch.policy, ending: policy.ending });
  }
  /** somebody asked for its end, and for nothing after it */
  get isUnwanted(): boolean {
    return this.#evidence.askedToStop;
  }
  get gatewayReport(): GatewayReport {
    return this.#report;
  }
  get readyAt(): number | undefined {
    return this.#readyAt;
  }
  get lastPhase(): string | undefined {
    return this.#phase;
  }
  /** when the start is given up, or when the drain ends in a kill */
  get limit(): { kind: 'start-deadline' | 'kill'; at: number } | undefined {
    if (this.#stop !== undefined) return { kind: 'kill', at: this.#stop.killAt };
    if (this.#readyAt !== undefined) return undefined;
    return { kind: 'start-deadline', at: this.#deadlineAt };
  }

  /** Asks it to finish; a second call only changes what follows or shortens the budget. */
  drain(reason: DrainReason, { isImpatient }: { readonly isImpatient: boolean }): void {
    this.followWith(reason === 'restart' ? 'restart' : 'stop');
    if (this.#stop !== undefined) return;
    this.#facts.listeners.hold();
    this.#generation?.drain(reason, isImpatient ? 0 : this.#facts.drainMs);
    this.#armStop(isImpatient);
  }

  /** What follows the death: a rest or a start. */
  followWith(next: 'stop' | 'restart'): void {
    this.#evidence = {
      ...this.#evidence,
      askedToStop: next === 'stop',
      askedToRestart: next === 'restart',
    };
  }

  hurry(): void {
    this.#generation?.hurry();
    this.#armStop(true);
  }

  kill(cause: ExitEvidence['killedFor'], graceMs: number): void {
    this.#killedAt ??= Date.now();
    this.#evidence = { ...this.#evidence, killedFor: this.#evidence.killedFor ?? cause };
    // a signal would free the frame that it hangs in
    const dumped = cause === 'start-timeout' ? this.#watch?.dump(cause) : undefined;
    void (dumped ?? Promise.resolve())
      .then(() => this.#endTree(graceMs))
      .then(async (survivors) => {
        if (!(await this.#isRootGone(survivors))) this.#abandon();
      });
  }

  phase(phase: string, leaseMs: number): void {
    if (this.#readyAt !== undefined || this.#ended) return;
    this.#phase = phase;
    const now = Date.now();
    const facts = { spawnedAt: this.spawnedAt, deadlineAt: this.#deadlineAt, now, leaseMs };
    this.#deadlineAt = extendDeadline(facts, this.#facts.policy.start);
    if (this.#stop === undefined) this.#armDeadline();
    this.#listener.phase(phase);
  }

  listen(id: number, address: ListenAddress): void {
    void this.#listen(id, address);
  }

  ready(report: GatewayReport): void {
    if (this.#readyAt !== undefined || this.#ended) {
      this.#take(report);
      return;
    }
    this.#readyAt = Date.now();
    this.#phase = undefined;
    if (this.#stop === undefined) clearTimeout(this.#timer);
    void this.#facts.listeners.dropUnwanted();
    this.#listener.ready(this.#readyAt - this.spawnedAt);
    this.#take(report);
  }

  report(report: GatewayReport): void {
    this.#take(report);
    this.#listener.changed();
  }

  #take(report: GatewayReport): void {
    const before = this.#report.held;
    this.#report = report;
    const { held } = report;
    if (held?.kind !== before?.kind || held?.by !== before?.by) this.#listener.held(held);
  }

  degraded(detail: string): void {
    this.#setTrouble('gateway', detail);
  }
  recovered(): void {
    this.#setTrouble('gateway', undefined);
  }
  turnCrowded(crowded: CrowdedTurn): void {
    this.#listener.turnCrowded(crowded);
  }
  restartWanted(detail: string): void {
    this.#listener.restartWanted(detail);
  }
  farewell(words: { detail: string; remedy: string }): void {
    const { secrets } = this.#facts;
    this.#farewell = {
      detail: maskSecrets(words.detail, secrets),
      remedy: maskSecrets(words.remedy, secrets),
    };
  }
  protocolBroken(code: string): void {
    this.#listener.protocolBroken(code);
  }

  /** A program may print its own token: what we keep and show never holds it. */
  line(stream: OutputStream, printed: string): void {
    const text = maskSecrets(printed, this.#facts.secrets);
    this.lastLines.add(stream, text);
    this.#listener.line(stream, text);
  }

  exited(exit: GenerationExit): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#watch?.stop();
    this.#facts.listeners.hold();
    void this.#finish(exit);
  }

  async #listen(id: number, address: ListenAddress): Promise<void> {
    const { listeners } = this.#facts;
    try {
      const kept = await listeners.listen(address);
      if (this.#ended || this.#stop !== undefined) return;
      this.#generation?.answerListen(id, { address: kept.address });
      listeners.handTo(
        address,
        (socket, done) => this.#generation?.takeConnection(id, socket, done) ?? false,
      );
    } catch (error) {
      this.#generation?.answerListen(id, { error: toListenError(error) });
    }
  }

  /** A teardown that fails is told and never blocks the successor. */
  async #finish(exit: GenerationExit): Promise<void> {
    const scope = this.#generation?.scope;
    // the kernel's own counter, before its place is given back
    if ((scope?.oomKills() ?? 0) > 0) this.#evidence = { ...this.#evidence, witnessed: 'oom' };
    const survivors = await this.#endTree(this.#facts.policy.ending.graceMs);
    this.#generation?.letGo?.();
    if (survivors.length === 0) scope?.dispose();
    else if (scope !== undefined) this.#listener.survived(scope, survivors);
    const death = recordDeath(this.#deathFacts(), exit);
    this.#listener.dead(death);
    this.#generation?.guests?.hostBuried(death);
  }

  async #isRootGone(survivors: readonly number[]): Promise<boolean> {
    const isLetGo = await this.#generation?.endAsGuest?.(this.#facts.policy.ending.giveUpMs);
    return isLetGo ?? (this.pid === undefined || !survivors.includes(this.pid));
  }

  /**
   * Not even SIGKILL ended the root (a device that hangs): it stays listed, the successor may come.
   * A part of another process was only told to end, and nobody has seen that it did.
   */
  #abandon(): void {
    const isPart = this.#generation?.servedBy !== undefined;
    const outcome = isPart
      ? ({ kind: 'unseen' } as const)
      : ({ kind: 'signal', signal: 'SIGKILL' } as const);
    this.exited({ outcome, at: Date.now(), spawnError: undefined });
  }

  async #endTree(graceMs: number): Promise<readonly number[]> {
    const generation = this.#generation;
    if (generation === undefined) return [];
    const times = { ...this.#facts.policy.ending, graceMs };
    const { signalled, survivors } = await generation.scope.end(times);
    const isLeft = (pid: number) => pid !== generation.pid && !survivors.includes(pid);
    const leftovers = signalled.filter(isLeft);
    if (leftovers.length > 0) this.#listener.leftoversEnded(leftovers);
    return survivors;
  }

  #deathFacts(): DeathFacts {
    return {
      profile: this.#facts.profile,
      generation: this.number,
      pid: this.pid,
      spawnedAt: this.spawnedAt,
      readyAt: this.#readyAt,
      deadlineAt: this.#deadlineAt,
      phase: this.#phase,
      evidence: this.#evidence,
      farewell: this.#farewell,
      watch: this.#watch?.evidence,
      lostBecause: this.#lostBecause,
      stop: this.#stop,
      lastLine: this.lastLines.last,
    };
  }

  #watchOver({ watch }: Generation): GenerationWatch | undefined {
    if (watch === undefined) return undefined;
    return new GenerationWatch(watch, this.#facts.watch, {
      evidence: (kept) => {
        if (kept.profile === undefined) this.evidence(kept);
        else this.#generation?.guests?.evidence(kept);
      },
      loopTrouble: (detail) => this.#setTrouble('loop', detail),
      lost: (detail) => {
        this.#lostBecause = detail;
        this.kill('lost', 0);
      },
    });
  }

  evidence(kept: KeptEvidence): void {
    const witnessed = witnessedBy(kept, this.#readyAt !== undefined);
    if (witnessed !== undefined) this.#evidence = { ...this.#evidence, witnessed };
    this.#listener.evidence(kept);
  }

  /** Whoever is well again is not the only one that may be ill. */
  #setTrouble(source: 'gateway' | 'loop', detail: string | undefined): void {
    if (!this.#troubles.set(source, detail) || this.#ended) return;
    const { text } = this.#troubles;
    if (text === undefined) this.#listener.recovered();
    else this.#listener.degraded(text);
  }

  /** By the budgets it was started with; somebody impatient leaves out the drain. */
  #armStop(isImpatient: boolean): void {
    const { budgets } = this.#facts.policy;
    const skippedMs = isImpatient ? budgets.at.drain : 0;
    this.#armKill(budgets.at['supervisor-kill'] - skippedMs);
    const { withinMs, patienceMs } = guardBudget(budgets);
    this.#watch?.stopping({ withinMs: withinMs - skippedMs, patienceMs });
  }

  #armDeadline(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.kill('start-timeout', this.#facts.policy.killAfterMs),
      clampTimerMs(this.#deadlineAt - Date.now()),
    );
  }

  #armKill(afterMs: number): void {
    const killAt = Date.now() + afterMs;
    if (this.#ended || (this.#stop !== undefined && this.#stop.killAt <= killAt)) return;
    this.#stop = { askedAt: this.#stop?.askedAt ?? Date.now(), killAt };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.kill(undefined, 0), clampTimerMs(afterMs));
  }
}
