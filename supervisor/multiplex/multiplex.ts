import { placeGateways } from '../../src/config/index.js';
import type { LoadedConfig } from '../../src/config/model.js';
import type { SupervisorEvent } from '../../src/core/events.js';
import type { GatewayPlace, Move } from '../../src/core/moves.js';
import { DEFAULT_PROFILE } from '../../src/core/names.js';
import type { MoveStatus } from '../../src/core/status.js';
import type { Guests } from '../generation/guests.js';
import type { Profile } from '../profile/profile.js';
import type { SlotSource } from '../profile/start-slots.js';
import {
  isSettled,
  judgeMove,
  planMultiplex,
  tellCurrent,
  tellFailed,
  tellPending,
} from './plan-multiplex.js';
import { ServerWait } from './server-wait.js';

export interface MultiplexFacts {
  readonly find: (profile: string) => Profile | undefined;
  readonly slots: SlotSource;
  readonly record: (event: SupervisorEvent) => void;
  readonly isLeaving: () => boolean;
}

/** Where the next generation of a profile belongs. */
export type Lodging =
  | { readonly place: 'own' }
  /** undefined: its server has just ended */
  | { readonly place: 'served'; readonly guests: Guests | undefined };

/**
 * Which profiles the default profile's gateway serves in its process. A change of the
 * configuration moves running gateways one at a time: out of where they are, into the other
 * place, and back when they do not come up there (design §9).
 */
export class Multiplex {
  readonly #facts: MultiplexFacts;
  readonly #served = new Set<string>();
  /** who is back where it was, until somebody asks for that one again */
  readonly #failed = new Map<string, MoveStatus>();
  readonly #wait: ServerWait;
  #queue: readonly Move[] = [];
  #current: Move | undefined;
  /** it goes back to where it was: nobody else moves meanwhile */
  #returning: string | undefined;

  constructor(facts: MultiplexFacts) {
    this.#facts = facts;
    this.#wait = new ServerWait((profile) => this.#isServed(profile) && !this.#server?.isOpen);
  }

  lodgingOf(profile: string): Lodging {
    if (!this.#isServed(profile)) return { place: 'own' };
    const guests = this.#server;
    return { place: 'served', guests: guests?.isOpen === true ? guests : undefined };
  }

  get served(): readonly string[] {
    return [...this.#served].sort();
  }

  /** Those that the configuration asks for and that are not done. */
  get moves(): readonly Move[] {
    return this.#current === undefined ? this.#queue : [this.#current, ...this.#queue];
  }

  /** What became of the place that the configuration wants it in; undefined: it is there. */
  moveOf(profile: string): MoveStatus | undefined {
    const move = this.moves.find((one) => one.profile === profile);
    if (move === undefined) return this.#failed.get(profile);
    if (move === this.#current) return tellCurrent(move);
    const { isOpen } = this.#server ?? { isOpen: false };
    return tellPending(move, { isOpen, isActive: this.#isActive(DEFAULT_PROFILE) });
  }

  /** It waits for its server, which may come, or not. */
  isWaiting(profile: string): boolean {
    return this.#wait.isWaiting(profile);
  }

  /** It has not yet shown whether its start succeeds, and will without anybody's doing. */
  isSettling({ name, state }: Profile): boolean {
    if (state === 'draining') return true;
    if (state !== 'starting') return false;
    return !this.isWaiting(name) || this.#isActive(DEFAULT_PROFILE);
  }

  willMove(profile: string): boolean {
    return this.moves.some((one) => one.profile === profile);
  }

  slotsFor(profile: string): SlotSource {
    const { slots } = this.#facts;
    return {
      acquire: (signal, grant) =>
        this.#wait.wait(profile, signal, () => slots.acquire(signal, grant)),
    };
  }

  /**
   * Takes a newly read configuration: who does not run belongs where it wants at once, who runs is
   * to be moved. Call `begin` once everything else of it was taken.
   * @param about whom a verb names: what has failed of others is not tried again for that one
   */
  prepare(wanted: ReadonlyMap<string, GatewayPlace>, about?: string): void {
    if (about === undefined) this.#failed.clear();
    else this.#failed.delete(about);
    this.#placeIdle(wanted);
    const active = [...wanted.keys()].filter((name) => this.#isActive(name));
    const present = new Map(active.map((name) => [name, this.#placeOf(name)]));
    const isOpen = ({ profile, to }: Move) =>
      !this.#failed.has(profile) &&
      !(this.#current?.profile === profile && this.#current.to === to);
    this.#queue = planMultiplex(wanted, present).filter(isOpen);
  }

  /** Nobody who runs is touched. */
  placeIdleOf(config: LoadedConfig): void {
    this.#placeIdle(placeGateways(config));
  }

  begin(): void {
    if (this.#current !== undefined || this.#isReturning || this.#facts.isLeaving()) return;
    const [move, ...rest] = this.#queue;
    if (move === undefined) return;
    // into a process that is not there nobody can be moved: its own goes on until it is
    if (move.to === 'served' && this.#server?.isOpen !== true) return;
    this.#queue = rest;
    if (!this.#isActive(move.profile)) {
      this.#settle(move.profile, move.to);
      this.begin();
      return;
    }
    this.#current = move;
    this.#settle(move.profile, move.to);
    this.#facts.find(move.profile)?.apply('restart');
  }

  /** Its operator restarts it: where it belongs by now. @returns whether that is under way */
  moveNow(profile: string): boolean {
    const move = this.#queue.find((one) => one.profile === profile);
    if (move === undefined || this.#current !== undefined) return false;
    this.#queue = [move, ...this.#queue.filter((one) => one !== move)];
    this.begin();
    return !this.#queue.includes(move);
  }

  /** A profile's state has changed. */
  observe({ name, state }: Profile): void {
    if (name === DEFAULT_PROFILE) this.#wait.look();
    const move = this.#current;
    if (this.#returning === name && isSettled(state)) this.#returning = undefined;
    if (move?.profile === name) this.#follow(move, state);
    else this.begin();
  }

  #follow(move: Move, state: Profile['state']): void {
    const verdict = judgeMove(move, state);
    if (verdict === 'under-way') return;
    this.#current = undefined;
    const { profile: name, to } = move;
    if (verdict === 'arrived') this.#facts.record({ code: 'moved', profile: name, to });
    if (verdict === 'failed') this.#rollBack(move);
    // not from inside of the change that is being told
    queueMicrotask(() => this.begin());
  }

  /** Where it was it worked; the next reload tries again. */
  #rollBack({ profile: name, to }: Move): void {
    if (this.#facts.isLeaving()) return;
    const profile = this.#facts.find(name);
    const view = profile?.view();
    const detail = view?.parked?.detail ?? view?.deaths.last?.detail ?? 'it did not start there';
    this.#facts.record({ code: 'move-failed', profile: name, to, detail });
    this.#failed.set(name, tellFailed({ profile: name, to }, detail));
    this.#settle(name, to === 'served' ? 'own' : 'served');
    this.#returning = name;
    queueMicrotask(() => profile?.apply('start'));
  }

  #placeIdle(wanted: ReadonlyMap<string, GatewayPlace>): void {
    for (const [name, place] of wanted) {
      if (!this.#isActive(name) && !this.#failed.has(name)) this.#settle(name, place);
    }
  }

  #settle(profile: string, place: GatewayPlace): void {
    if (place === 'served') this.#served.add(profile);
    else this.#served.delete(profile);
    this.#wait.look();
  }

  #placeOf(profile: string): GatewayPlace {
    return this.#isServed(profile) ? 'served' : 'own';
  }

  /** One that waits for its server may do so for long, and is no reason to keep others. */
  get #isReturning(): boolean {
    return this.#returning !== undefined && !this.isWaiting(this.#returning);
  }

  #isActive(profile: string): boolean {
    return this.#facts.find(profile)?.isActive === true;
  }

  #isServed(profile: string): boolean {
    return this.#served.has(profile);
  }

  /** The process that serves others, once it is ready. */
  get #server(): Guests | undefined {
    const server = this.#facts.find(DEFAULT_PROFILE);
    if (server?.state !== 'ready' && server?.state !== 'degraded') return undefined;
    return server.view().run?.generation?.guests;
  }
}
