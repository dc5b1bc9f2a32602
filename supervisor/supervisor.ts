import type { LoadedConfig, LoadedProfile } from '../src/config/model.js';
import type { Job, VerbRequest } from '../src/core/control.js';
import type { SupervisorEvent, Verb } from '../src/core/events.js';
import type { StoredState, SupervisorStore } from '../src/store/index.js';
import type { UnendedTrees } from './containment/unended-trees.js';
import type { EventHub } from './events/event-hub.js';
import type { FinalCode } from './finish.js';
import type { WorkerPool } from './generation/worker-pool.js';
import type { Guardian } from './guardian/guardian.js';
import type { ProfileLogs } from './logs/profile-logs.js';
import { refuseForGuest } from './multiplex/guest-verbs.js';
import { loadedOf, placesOf } from './multiplex/loaded.js';
import { makeMultiplex } from './multiplex/make-multiplex.js';
import type { Multiplex } from './multiplex/multiplex.js';
import { jobView } from './profile/job-view.js';
import type { Profile } from './profile/profile.js';
import type { ProfilePort } from './profile/profile-port.js';
import { makeProfilePort } from './profile-effects.js';
import { Inputs } from './reload/inputs.js';
import {
  listSteps,
  planReload,
  type ReloadOutcome,
  type ReloadStep,
} from './reload/plan-reload.js';
import {
  changedInputs,
  isFailed,
  type Renewal,
  refuseDisabled,
  renewProfile,
  retryChanged,
  takeFreshInputs,
} from './reload/renew.js';
import { Roster } from './roster.js';
import type { Spawner } from './spawner.js';
import { Jobs } from './verbs/jobs.js';
import { WayOut } from './way-out.js';

export interface SupervisorFacts {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly once: boolean;
  readonly random: () => number;
  readonly config: LoadedConfig;
  readonly stored: StoredState;
  readonly store: SupervisorStore;
  readonly hub: EventHub;
  readonly pool: WorkerPool;
  readonly guardian: Guardian;
  readonly spawner: Spawner;
  readonly logs: ProfileLogs;
  readonly unended: UnendedTrees;
  readonly bootId: string | undefined;
  readonly startTicksOf: (pid: number) => number | undefined;
}

/** The parent of all gateways: profiles, verbs, reloads and the way out. */
export class Supervisor {
  readonly jobs = new Jobs();
  readonly #facts: SupervisorFacts;
  readonly #inputs: Inputs;
  readonly #roster: Roster;
  readonly #port: ProfilePort;
  /** who is served by the default profile's gateway, and who is on the way there or back */
  readonly multiplex: Multiplex;
  readonly #wayOut: WayOut;

  constructor(facts: SupervisorFacts) {
    this.#facts = facts;
    this.#inputs = new Inputs(facts);
    this.#roster = new Roster(facts.stored);
    this.#wayOut = new WayOut({
      once: facts.once,
      profiles: () => this.profiles,
      record: (event) => this.#record(event),
    });
    this.multiplex = makeMultiplex({
      roster: this.#roster,
      config: () => this.config,
      random: facts.random,
      record: (event) => this.#record(event),
      isLeaving: () => this.isLeaving,
    });
    this.#port = makeProfilePort(facts, {
      inputs: this.#inputs,
      multiplex: this.multiplex,
      buried: (name, death) => this.#wayOut.noteDeath(name, death),
      changed: (profile) => this.#changed(profile),
    });
    for (const loaded of facts.config.profiles.values()) this.#roster.add(loaded, this.#port);
  }

  get config(): LoadedConfig {
    return this.#inputs.config;
  }
  get endsForEssential(): boolean {
    return this.#wayOut.isForEssential;
  }

  /** The code to exit with, once everything is down. */
  get finished(): Promise<FinalCode> {
    return this.#wayOut.finished;
  }
  get isLeaving(): boolean {
    return this.#wayOut.isLeaving;
  }
  get profiles(): readonly Profile[] {
    return this.#roster.all;
  }
  /** Somebody waits for a change of files. */
  get awaitsChange(): boolean {
    return this.profiles.some(isFailed);
  }
  /** Some profile has not yet shown whether its start succeeds. */
  get isSettling(): boolean {
    return this.profiles.some((one) => this.multiplex.isSettling(one));
  }
  /** Why the newest configuration of a running profile was not taken. */
  refusalOf(profile: string): string | undefined {
    return this.#inputs.refusalOf(profile);
  }

  start(): void {
    this.#place(this.config.profiles);
    for (const profile of this.#roster.all) this.#startIfDesired(profile);
    this.#facts.pool.dropSpare();
    this.#wayOut.checkDone();
  }

  /** @throws GatewardenError unknown-profile, profile-disabled, config-invalid */
  verb(name: string, verb: Verb, request: VerbRequest): Job {
    const profile = this.#find(name);
    if (verb === 'stop' || verb === 'restart') refuseForGuest(profile, verb);
    const running = this.jobs.running(name, verb);
    if (running !== undefined && !request.now) return running;
    const { generation } = profile.view();
    const satisfied = this.#carryOut(profile, verb, request);
    const view = jobView(profile.view(), Date.now());
    return this.jobs.begin(name, { verb, generation, satisfied }, view);
  }

  /** Reads the configuration again; only profiles whose inputs differ are touched. */
  reload(by: string): ReloadOutcome {
    const outcome = this.#inputs.read();
    if (outcome.kind === 'refused') {
      this.#record({ code: 'reload-refused', problems: outcome.problems });
      return { added: [], removed: [], changed: [], moves: [], problems: outcome.problems };
    }
    const current = new Map(this.profiles.map((one) => [one.name, one.view().loaded]));
    this.#inputs.adopt(outcome.config);
    this.#place(outcome.config.profiles);
    const steps = planReload(current, outcome.config.profiles);
    const touched = steps.filter((step) => this.#takeStep(step, by));
    const lists = { ...listSteps(touched), moves: this.multiplex.moves };
    this.#record({ code: 'reloaded', ...lists });
    this.multiplex.begin();
    const problems = this.#inputs.allRefusals;
    if (problems !== undefined) this.#record({ code: 'reload-refused', problems });
    return problems === undefined ? lists : { ...lists, problems };
  }

  retryChanged(): void {
    retryChanged(this.profiles, this.#inputs, (config) => this.multiplex.placeIdleOf(config));
  }

  restartAll(by: string): void {
    for (const profile of this.#roster.all) {
      if (!profile.isActive) continue;
      this.#record({ code: 'verb', profile: profile.name, verb: 'restart', by });
      profile.apply('restart');
    }
  }

  /** Orderly end: everything drains; returns at once, `finished` tells when all are dead. */
  shutDown(reason: string): void {
    this.#wayOut.leave(reason);
  }

  hurry(): void {
    for (const profile of this.#roster.all) profile.hurry();
  }

  /** The store can be read at last. */
  adopt(stored: StoredState): void {
    this.#facts.hub.continueFrom(stored.nextCursor);
    this.#roster.adopt(stored);
  }

  /** Returns whether there was nothing to do. */
  #carryOut(profile: Profile, verb: Verb, { now, by }: VerbRequest): boolean {
    const apply = (event: 'start' | 'stop' | 'restart') =>
      now ? profile.applyNow(event) : profile.apply(event);
    if (verb === 'start' || verb === 'restart') refuseDisabled(profile, this.#inputs);
    this.#record({ code: 'verb', profile: profile.name, verb, by });
    switch (verb) {
      case 'start':
      case 'restart':
        this.#desire(profile, 'running', by);
        takeFreshInputs(profile, this.#inputs, verb);
        this.#place(loadedOf(this.#roster), profile.name);
        if (verb === 'start' || !this.multiplex.moveNow(profile.name)) apply(verb);
        return false;
      case 'stop':
        this.#desire(profile, 'stopped', by);
        apply('stop');
        return false;
      case 'reload':
        return !this.#renewOne(profile, by);
      default:
        return verb satisfies never;
    }
  }

  #renewOne(profile: Profile, by: string): boolean {
    const loaded = changedInputs(profile, this.#inputs);
    if (loaded === undefined) return false;
    this.#inputs.accept(profile.name);
    this.#place(new Map([...loadedOf(this.#roster), [profile.name, loaded]]), profile.name);
    return this.#renew(profile, loaded, { by, willMove: (name) => this.multiplex.moveNow(name) });
  }

  #renew(profile: Profile, loaded: LoadedProfile, { by, willMove }: Renewal): boolean {
    return renewProfile(profile, loaded, {
      inputs: this.#inputs,
      willMove,
      wish: (one, desired) => this.#desire(one, desired, by),
    });
  }

  #takeStep(step: ReloadStep, by: string): boolean {
    switch (step.kind) {
      case 'add':
        this.#startIfDesired(this.#roster.add(step.loaded, this.#port));
        return true;
      case 'remove': {
        const profile = this.#roster.get(step.name);
        profile.setDesired('stopped');
        profile.apply('stop');
        this.#forgetWhenDown(profile);
        return true;
      }
      case 'change':
      case 'keep':
        return this.#renew(this.#roster.get(step.loaded.name), step.loaded, {
          by,
          willMove: (name) => this.multiplex.willMove(name),
        });
      default:
        return step satisfies never;
    }
  }

  /**
   * A profile made outside, by a copy or another container, is found when it is first named
   * (field case E5).
   * @throws GatewardenError unknown-profile
   */
  #find(name: string): Profile {
    if (!this.#roster.has(name) && !this.isLeaving) {
      const loaded = this.#inputs.readProfile(name);
      if (loaded !== undefined) this.#roster.add(loaded, this.#port);
      this.#place(loadedOf(this.#roster), name);
    }
    return this.#roster.get(name);
  }

  #place(profiles: LoadedConfig['profiles'], about?: string): void {
    this.multiplex.prepare(placesOf({ ...this.config, profiles }, this.#inputs), about);
  }

  #startIfDesired(profile: Profile): void {
    if (!this.isLeaving && profile.view().desired === 'running') profile.apply('start');
  }

  #forgetWhenDown(profile: Profile): void {
    if (this.config.profiles.has(profile.name) || profile.isActive) return;
    this.#roster.delete(profile.name);
    this.#facts.logs.close(profile.name);
  }

  #desire(profile: Profile, desired: 'running' | 'stopped', by: string): void {
    profile.setDesired(desired);
    this.#facts.store.setDesired(profile.name, desired, by);
  }

  #changed(profile: Profile): void {
    this.jobs.observe(profile.name, jobView(profile.view(), Date.now()));
    this.multiplex.observe(profile);
    if (profile.isActive) return;
    this.#forgetWhenDown(profile);
    this.#wayOut.checkEssential(profile);
    this.#wayOut.checkDone();
  }

  #record(event: SupervisorEvent): void {
    this.#facts.hub.publish(event);
  }
}
