import type { Preflight } from './systemd/judge-preflight.js';

/** What we ask of a service manager; each has its folder and speaks through its own tools. */
export interface UnitManager {
  /**
   * Whether it can be asked here and now; may do what an account may do for itself.
   * @param one only about this unit; undefined: to install and remove them, too
   */
  preflight(one?: OneUnit): Promise<Preflight>;
  /** reads again what stands in its folder, and has taken these up when it returns */
  settle(names: readonly string[]): Promise<void>;
  /** @throws GatewardenError manager-failed, manager-late */
  order(verb: UnitVerb, name: string, limitMs: number): Promise<void>;
  state(name: string): Promise<ManagedState>;
}

export interface OneUnit {
  readonly name: string;
  readonly to: 'look' | 'command';
}

/** start and restart only ask: whether it came about is observed. The others are done on return. */
export type UnitVerb = 'start' | 'restart' | 'stop' | 'enable' | 'disable';

export interface ManagedState {
  readonly isInstalled: boolean;
  /** pid of what it runs; undefined: nothing */
  readonly pid: number | undefined;
  /** started, and it has said so itself */
  readonly isReady: boolean;
  /** it has given up, or was told to: nothing happens by itself any more */
  readonly isResting: boolean;
  /** resting because of a failure */
  readonly isFailed: boolean;
  /** the code of the last end, where it was an exit */
  readonly exitCode: number | undefined;
  /** in the manager's words, one clause */
  readonly words: string;
  /** where to look for more */
  readonly look: string;
}
