import type { ProcessIdentity } from '../../core/process-identity.js';
import { bootId, readStat } from '../../store/process-table.js';
import type { HeldScope } from './held-scope.js';
import type { ProcessFacts } from './tool-process.js';
import type { OpenTurn } from './turn-claims.js';

/** What a turn asks to be started. */
export interface StartOrder {
  readonly command: string;
  readonly cwd: string;
  readonly isBackground: boolean;
  readonly keepsStdin: boolean;
  readonly persistOnRelease: boolean;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
}

export interface Born {
  readonly id: string;
  readonly identity: ProcessIdentity;
  readonly scope: HeldScope;
}

export function toFacts(
  order: StartOrder,
  turn: OpenTurn,
  { id, identity, scope }: Born,
): ProcessFacts {
  const { command, cwd, isBackground, persistOnRelease, notifyOnComplete } = order;
  const { owner, origin } = turn;
  const startedAt = Date.now();
  const scopeName = scope.name;
  const scopeTag = scope.tag;
  const asked = { command, cwd, isBackground, persistOnRelease, notifyOnComplete };
  return { id, startedAt, identity, owner, origin, scopeName, scopeTag, ...asked };
}

/** Also of a process that has ended by now: nobody has waited for it yet. */
export function identityAtSpawn(pid: number): ProcessIdentity {
  return { pid, startTicks: readStat(pid)?.startTicks, bootId: bootId() };
}
