import type { Socket } from 'node:net';
import type { Scope } from '../../src/containment/index.js';
import type { Death, ExitOutcome } from '../../src/core/death.js';
import type { DrainReason, ListenAddress } from '../../src/core/ipc.js';
import type { KeptEvidence } from '../../src/core/watch.js';
import type { CrowdedTurn, GatewayReport } from '../../src/core/work.js';
import type { Guests } from './guests.js';
import type { WatchChannel } from './watch-channel.js';

/** One spawn of a profile's gateway, whatever kind it is. */
export interface Generation {
  readonly number: number;
  /** undefined when the spawn itself failed */
  readonly pid: number | undefined;
  /** to its watchdog thread; undefined: another program, which has none */
  readonly watch: WatchChannel | undefined;
  /** the profile whose process it is a part of; undefined: it has its own */
  readonly servedBy?: string;
  /** everything that it is and starts; of a guest: only what it starts */
  readonly scope: Scope;
  /** ask it to finish and end; what follows is decided by its exit */
  drain(reason: DrainReason, budgetMs: number): void;
  /** an operator is impatient */
  hurry(): void;
  /**
   * Of a guest, whose process is not to be killed: resolves with whether its server has let go of
   * it by then.
   */
  endAsGuest?(limitMs: number): Promise<boolean>;
  /** whom its process serves besides; undefined: it cannot serve anybody */
  readonly guests?: Guests;
  /** take one accepted connection; false when it cannot */
  takeConnection(listenId: number, socket: Socket, done: () => void): boolean;
  answerListen(
    id: number,
    answer: { address: ListenAddress } | { error: { errno: string; text: string } },
  ): void;
  /** its tree is empty: what was claimed for it is free for the next */
  letGo?(): void;
}

export type OutputStream = 'stdout' | 'stderr';

/** What a generation tells its profile. `exited` comes exactly once and last. */
export interface GenerationListener {
  phase(phase: string, leaseMs: number): void;
  listen(id: number, address: ListenAddress): void;
  ready(report: GatewayReport): void;
  report(report: GatewayReport): void;
  degraded(detail: string): void;
  recovered(): void;
  turnCrowded(crowded: CrowdedTurn): void;
  restartWanted(detail: string): void;
  farewell(words: { detail: string; remedy: string }): void;
  line(stream: OutputStream, text: string): void;
  /** its server's watchdog has written something down about it */
  evidence(kept: KeptEvidence): void;
  /** it sent something that is not in the contract */
  protocolBroken(code: string): void;
  exited(exit: GenerationExit): void;
}

export interface GenerationExit {
  readonly outcome: ExitOutcome;
  /** epoch milliseconds of the exit itself; what was left in the pipes is read first */
  readonly at: number;
  /** the spawn failed; `refused` when no retry cures it */
  readonly spawnError: { readonly text: string; readonly refused: boolean } | undefined;
  /** of a guest: the end of its server, which took it along */
  readonly server?: Death;
}

/** `(code, null)` or `(null, signal)` becomes the two-case union at once (fact 3 of style.md). */
export function outcomeOf(code: number | null, signal: NodeJS.Signals | null): ExitOutcome {
  if (signal !== null) return { kind: 'signal', signal };
  return { kind: 'code', code: code ?? NEVER_A_CODE };
}

/** Node never gives both as null; if it did, this is outside of every class and backs off. */
const NEVER_A_CODE = 255;

/** Spawn errors that stay until somebody changes the file or its rights. */
const REFUSING_ERRNOS: ReadonlySet<string> = new Set([
  'ENOENT',
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'ENOEXEC',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
  'E2BIG',
]);

export function isRefusingErrno(errno: string | undefined): boolean {
  return errno !== undefined && REFUSING_ERRNOS.has(errno);
}
