import { renderProblems } from '../../src/config/index.js';
import type { LoadedProfile } from '../../src/config/model.js';
import type { Death } from '../../src/core/death.js';
import { holdEvent } from '../../src/core/events.js';
import { judge, type Verdict } from '../../src/core/judge.js';
import {
  hasGeneration,
  type LifecycleAction,
  type LifecycleEvent,
  nextStep,
  type ProfileState,
} from '../../src/core/lifecycle.js';
import type { Desired } from '../../src/core/status.js';
import { ProfileListeners } from '../listeners/profile-listeners.js';
import type { DeathLog } from './death-log.js';
import { recordRefusal } from './death-record.js';
import { followVerdict } from './follow-verdict.js';
import type { GenerationRun } from './generation-run.js';
import { type Parked, parkedBy } from './parked.js';
import type { ProfilePort } from './profile-port.js';
import type { ProfileView } from './profile-view.js';
import type { GoodProfile, RunListener } from './run-contract.js';
import { StartTurn } from './start-turn.js';
import { Wait } from './wait.js';

/** One profile under supervision: the only writer of its state is the lifecycle table. */
export class Profile {
  readonly name: string;
  readonly deaths: DeathLog;
  readonly listeners = new ProfileListeners();
  readonly #port: ProfilePort;
  readonly #turn: StartTurn;
  readonly #wait = new Wait();
  #loaded: LoadedProfile;
  #desired: Desired;
  #state: ProfileState = 'stopped';
  #since = Date.now();
  #generation: number;
  #run: GenerationRun | undefined;
  #parked: Parked | undefined;
  #verdict: Verdict | undefined;
  #storm = false;
  #degradedBecause: string | undefined;
  #lastStartMs: number | undefined;
  /** the newest start is the half-open try of a crash loop, or the automatic try after a change */
  #trying: 'probe' | 'change' | undefined;
  /** drains asked for from now on get no time */
  #impatient = false;
  #halted = false;

  constructor(
    facts: { loaded: LoadedProfile; desired: Desired; generation: number; deaths: DeathLog },
    port: ProfilePort,
  ) {
    this.name = facts.loaded.name;
    this.deaths = facts.deaths;
    this.#loaded = facts.loaded;
    this.#desired = facts.desired;
    this.#generation = facts.generation;
    this.#port = port;
    this.#turn = new StartTurn(port.slotsFor(this.name));
  }

  view(): ProfileView {
    return {
      name: this.name,
      loaded: this.#loaded,
      desired: this.#desired,
      state: this.#state,
      since: this.#since,
      generation: this.#generation,
      run: this.#run,
      next: this.#wait.next,
      parked: this.#parked,
      storm: this.#storm,
      degradedBecause: this.#degradedBecause,
      lastStartMs: this.#lastStartMs,
      deaths: this.deaths,
      listeners: this.listeners,
    };
  }

  get state(): ProfileState {
    return this.#state;
  }
  get isActive(): boolean {
    return hasGeneration(this.#state);
  }

  /** Sends one event through the table. Returns whether anything happened. */
  apply(event: LifecycleEvent): boolean {
    const step = nextStep(this.#state, event);
    if (step === undefined) return false;
    if (step.to !== this.#state) this.#enter(step.to, event);
    for (const action of step.actions) this.#do(action);
    this.#port.changed(this);
    return true;
  }

  /** An operator's wish; the only way that desired changes. */
  setDesired(desired: Desired): void {
    this.#desired = desired;
  }
  /** Configuration for the next generation; a running one keeps what it has. */
  setLoaded(loaded: LoadedProfile): void {
    this.#loaded = loaded;
  }

  /** Like `apply`, but whatever drains because of it gets no time. */
  applyNow(event: LifecycleEvent): boolean {
    this.#impatient = true;
    const happened = this.apply(event);
    if (this.#state === 'draining') this.#run?.hurry();
    this.#impatient = false;
    return happened;
  }

  /** The supervisor is leaving: whatever dies now rests, whatever is desired stays desired. */
  halt(): void {
    this.#halted = true;
    this.apply('stop');
  }

  hurry(): void {
    this.#run?.hurry();
  }

  /** Its inputs differ from those it failed with: one automatic try. */
  retry(loaded: LoadedProfile): void {
    this.#loaded = loaded;
    if (this.apply('inputs-changed')) this.#trying = 'change';
  }

  #enter(to: ProfileState, because: LifecycleEvent): void {
    const from = this.#state;
    this.#state = to;
    this.#since = Date.now();
    this.#port.record({ code: 'state', profile: this.name, from, to, because });
    if (from === 'parked') {
      this.#parked = undefined;
      this.#port.record({ code: 'unparked', profile: this.name, because });
    }
    if (to === 'stopped' || to === 'parked') void this.listeners.closeAll();
    if (to !== 'degraded') this.#degradedBecause = undefined;
  }

  #do(action: LifecycleAction): void {
    switch (action) {
      case 'clear-deaths':
        this.deaths.clear();
        this.#storm = false;
        this.#port.clearDeaths(this.name);
        return;
      case 'disarm':
        this.#wait.disarm();
        return;
      case 'arm':
        this.#wait.armFor(this.#verdict, () => void this.apply('due'));
        return;
      case 'spawn':
        this.#start(undefined);
        return;
      case 'spawn-probe':
        this.#start('probe');
        return;
      case 'drain-to-stop':
        this.#drain('stop');
        return;
      case 'drain-to-restart':
        this.#drain('restart');
        return;
      case 'then-stop':
        this.#run?.followWith('stop');
        return;
      case 'then-restart':
        this.#run?.followWith('restart');
        return;
      default:
        action satisfies never;
    }
  }

  #start(trying: 'probe' | undefined): void {
    this.#trying = trying;
    this.#turn.wait(() => this.#spawn());
  }

  /** The configuration may have turned bad while this start waited for its turn. */
  #spawn(): void {
    if (this.#loaded.kind === 'bad') {
      const detail = renderProblems(this.#loaded.problems);
      const death = recordRefusal(this.name, this.#generation, detail);
      queueMicrotask(() => this.#bury(death, undefined));
      return;
    }
    this.#generation++;
    this.#run = this.#port.spawn(this.view(), this.#loaded, this.#runListener(this.#loaded));
    this.#port.changed(this);
  }

  #drain(reason: 'stop' | 'restart'): void {
    if (this.#run === undefined) {
      // it was still waiting for its turn to start: there is nothing to drain
      this.#turn.leave();
      queueMicrotask(() => this.apply(reason === 'stop' ? 'died-rest' : 'died-restart'));
      return;
    }
    this.#run.drain(reason, { isImpatient: this.#impatient });
    if (reason === 'restart') this.#port.expectSuccessor(this);
  }

  #runListener(loaded: GoodProfile): RunListener {
    const { name } = this;
    return {
      ready: (tookMs) => this.#becomeReady(tookMs),
      degraded: (detail) => {
        this.#port.record({ code: 'degraded', profile: name, detail });
        this.apply('degrade');
        this.#degradedBecause = detail;
      },
      recovered: () => {
        this.#port.record({ code: 'recovered', profile: name });
        this.apply(this.#isServed ? 'serve' : 'recover');
      },
      held: (hold) => this.#port.record(holdEvent(name, hold)),
      turnCrowded: ({ turn, processes, threshold }) =>
        this.#port.record({ code: 'processes-high', profile: name, turn, processes, threshold }),
      restartWanted: (detail) => this.#port.restartWanted(this, detail),
      phase: (phase) => {
        this.#port.record({ code: 'phase', profile: name, phase });
        this.#port.changed(this);
      },
      line: (stream, text) => this.#port.line(name, stream, text),
      changed: () => this.#port.changed(this),
      protocolBroken: (code) => this.#port.protocolBroken(name, code),
      leftoversEnded: (pids) => this.#port.record({ code: 'leftovers-ended', profile: name, pids }),
      survived: (scope, pids) => this.#port.survived(name, scope, pids),
      evidence: (kept) => this.#port.evidence(name, kept),
      dead: (death) => this.#bury(death, loaded),
    };
  }

  #becomeReady(tookMs: number): void {
    this.#lastStartMs = tookMs;
    this.#turn.leave();
    this.#trying = undefined;
    this.#port.record({
      code: 'ready',
      profile: this.name,
      generation: this.#generation,
      tookMs,
    });
    this.apply(this.#isServed ? 'serve' : 'ready');
  }

  get #isServed(): boolean {
    return this.#run?.generation?.servedBy !== undefined;
  }

  /** @param loaded what the dead generation ran with; undefined when none was spawned */
  #bury(death: Death, loaded: GoodProfile | undefined): void {
    const unwanted = this.#run?.isUnwanted ?? false;
    this.#run = undefined;
    this.#turn.leave();
    this.deaths.add(death);
    this.#port.record({ code: 'died', profile: this.name, death });
    this.#port.buried(this, death);
    const policy = loaded?.config.restart ?? this.#port.restartPolicy;
    const past = { deaths: this.deaths.counted, wasProbe: this.#trying === 'probe' };
    const verdict = judge(policy, past, this.#port.random());
    this.#verdict = verdict;
    if (verdict.storm && !this.#storm) this.#port.storm(this, policy);
    this.#storm = verdict.storm;
    this.#follow(verdict, { death, unwanted });
  }

  #follow(
    verdict: Verdict,
    { death, unwanted }: { readonly death: Death; readonly unwanted: boolean },
  ): void {
    const circumstances = { halted: this.#halted, unwanted, once: this.#port.once };
    const event = followVerdict(verdict, circumstances);
    if (event === 'died-backoff' && verdict.kind === 'restart-after') {
      this.#port.record({ code: 'restart-in', profile: this.name, delayMs: verdict.delayMs });
    }
    if (event === 'died-park' && verdict.kind === 'park') this.#park(verdict, death);
    this.apply(event);
  }

  #park(verdict: Extract<Verdict, { kind: 'park' }>, death: Death): void {
    // a program that rewrites its own inputs and refuses must not earn one try after the other
    const fingerprint =
      this.#trying === 'change' ? this.#port.fingerprintNow(this.name) : this.#loaded.fingerprint;
    this.#parked = parkedBy({ profile: this.name, verdict, death, fingerprint });
    const { reason, detail, remedy, retriesOn } = this.#parked;
    this.#port.record({ code: 'parked', profile: this.name, reason, detail, remedy, retriesOn });
  }
}
