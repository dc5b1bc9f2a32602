import type { Containment } from '../../containment/index.js';
import { clampTimerMs } from '../../core/durations.js';
import { killSession } from './kill-session.js';
import type { ProcessLimits } from './limits.js';
import type { Notifier } from './notifier.js';
import { planPrune } from './plan-prune.js';
import type { OwnedProcess } from './plan-reap.js';
import type { StartOrder } from './process-facts.js';
import { ToolRefusal } from './refusal.js';
import { startProcess } from './start-process.js';
import { isOver, type ToolProcess } from './tool-process.js';
import type { OpenTurn } from './turn-claims.js';

export interface RegistryOptions {
  readonly limits: ProcessLimits;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** asked at the first start: a gateway without tools pays nothing */
  readonly containment: () => Containment;
  readonly notifier: Notifier;
  /** one was started that is meant to outlive its turn */
  readonly onKept: (turnId: string, scope: string) => void;
  /** the set of what runs has changed */
  readonly onChange: () => void;
  /** one that nobody waited for is over: all that will be known of it is known */
  readonly onResult: (process: ToolProcess) => void;
}

/** Every process that a tool started or that was adopted, and what becomes of it. */
export class ProcessRegistry {
  readonly #options: RegistryOptions;
  readonly #processes = new Map<string, ToolProcess>();
  readonly #endings = new Set<Promise<void>>();
  /** adopted ones whose end nobody was told: no event tells us */
  readonly #adopted = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;
  #hasClosed = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get all(): readonly ToolProcess[] {
    return [...this.#processes.values()];
  }

  /** For the decision about an abandoned turn. */
  get owned(): readonly OwnedProcess[] {
    return this.all.map(({ facts, isOccupied }) => ({
      id: facts.id,
      owner: facts.owner,
      persistOnRelease: facts.persistOnRelease,
      isRunning: isOccupied,
    }));
  }

  find(id: string): ToolProcess | undefined {
    return this.#processes.get(id);
  }

  /**
   * Starts a command for a turn. Nothing is waited for, so that a turn which is given up at any
   * moment knows all its processes. @throws ToolRefusal
   */
  start(order: StartOrder, turn: OpenTurn): ToolProcess {
    if (this.#hasClosed) throw new ToolRefusal('the gateway stops: nothing is started any more');
    this.#makeRoom();
    const process = startProcess(order, turn, {
      ...this.#options,
      find: (id) => this.find(id),
      onEnd: (ended) => this.#ended(ended),
    });
    this.#add(process);
    if (order.persistOnRelease) this.#options.onKept(turn.owner.turnId, process.facts.scopeName);
    return process;
  }

  /** Takes in a process of an earlier gateway. */
  adopt(process: ToolProcess): void {
    this.#adopted.add(process.facts.id);
    this.#add(process);
  }

  /** What a foreground command leaves behind stays known; itself is done. */
  forget(process: ToolProcess): void {
    if (process.isOccupied) return;
    const { id } = process.facts;
    if (!this.#processes.delete(id)) return;
    this.#adopted.delete(id);
    this.#options.notifier.forget(id);
    if (this.#processes.size === 0) this.#rest();
    this.#options.onChange();
  }

  /** Ends a process with its tree; its end is no news for anybody. */
  end(process: ToolProcess, by: string, graceMs: number): Promise<void> {
    this.#options.notifier.consume(process.facts.id);
    const ending = process.end(by, graceMs).finally(() => {
      this.#endings.delete(ending);
      this.#options.onChange();
    });
    this.#endings.add(ending);
    return ending;
  }

  /** What an abandoned turn takes with it. */
  reap(ids: readonly string[], by: string): void {
    for (const id of ids) {
      const process = this.find(id);
      if (process === undefined) continue;
      void this.end(process, by, this.#options.limits.reapGraceMs).then(() => {
        if (!process.facts.isBackground) this.forget(process);
      });
    }
  }

  /** Ends all that is left, whatever it was left for; bounded by its grace and the settle time. */
  async close(): Promise<void> {
    this.#hasClosed = true;
    const { shutdownGraceMs } = this.#options.limits;
    const left = this.all.filter(({ isOccupied }) => isOccupied);
    const endings = left.map((process) => this.end(process, 'the gateway stops', shutdownGraceMs));
    await Promise.allSettled([...endings, ...this.#endings]);
    // those whose pipes are still being read: nobody will be here to hear the rest
    for (const process of left) this.#tellResult(process);
    this.#rest();
  }

  #tellResult(process: ToolProcess): void {
    if (process.facts.isBackground && isOver(process.look())) this.#options.onResult(process);
  }

  #add(process: ToolProcess): void {
    this.#processes.set(process.facts.id, process);
    if (this.#timer === undefined) {
      globalThis.process.on('exit', this.#killAtExit);
      const everyMs = clampTimerMs(this.#options.limits.sweepMs);
      this.#timer = setInterval(() => void this.#sweep(), everyMs).unref();
    }
    this.#options.onChange();
  }

  /** Nothing is left to look after. */
  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    globalThis.process.off('exit', this.#killAtExit);
  }

  #ended(process: ToolProcess): void {
    this.#tellResult(process);
    if (this.#hasClosed) return;
    this.#options.notifier.ended(process);
    this.#options.onChange();
  }

  #makeRoom(): void {
    const { maxTracked } = this.#options.limits;
    this.#prune(maxTracked - 1);
    if (this.#processes.size < maxTracked) return;
    throw new ToolRefusal(`${maxTracked} processes run already: end one with process kill first`);
  }

  #prune(max: number): void {
    const { finishedKeptMs } = this.#options.limits;
    const processes = this.all.map((process) => ({
      id: process.facts.id,
      state: process.look(),
      isOccupied: process.isOccupied,
    }));
    for (const id of planPrune({ processes, now: Date.now(), keptMs: finishedKeptMs, max })) {
      const process = this.find(id);
      if (process !== undefined) this.forget(process);
    }
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    for (const process of this.all) await this.#lookAfter(process);
    this.#prune(this.#options.limits.maxTracked);
    this.#isSweeping = false;
  }

  async #lookAfter(process: ToolProcess): Promise<void> {
    const state = process.look();
    if (state.kind === 'stuck') await this.end(process, state.by, 0);
    else await process.checkTree();
    if (!isOver(process.look())) return;
    if (this.#adopted.delete(process.facts.id)) this.#ended(process);
    if (!process.facts.isBackground) this.forget(process);
  }

  readonly #killAtExit = (): void => {
    for (const { facts, isOccupied } of this.all) if (isOccupied) killSession(facts.identity);
  };
}
