import { type Containment, LeakGauge } from '../../containment/index.js';
import type { CrowdedTurn } from '../../core/work.js';
import type { ProcessLimits } from './limits.js';
import type { ToolProcess } from './tool-process.js';

export interface TurnGaugeFacts {
  readonly processes: () => readonly ToolProcess[];
  readonly containment: () => Containment;
  readonly limits: ProcessLimits;
  readonly alarm: (crowded: CrowdedTurn) => void;
}

/** Counts what lives of each turn, also of those that are over and left something on purpose. */
export function createTurnGauge(facts: TurnGaugeFacts): LeakGauge<CrowdedTurn> {
  const { alarm, limits } = facts;
  const nameOf = ({ turn }: CrowdedTurn) => turn;
  return new LeakGauge({
    read: () => readTurns(facts),
    nameOf,
    alarm,
    everyMs: limits.gaugeEveryMs,
  });
}

async function readTurns({
  processes,
  containment,
  limits,
}: TurnGaugeFacts): Promise<CrowdedTurn[]> {
  const living = processes().filter(({ isOccupied }) => isOccupied);
  // a gateway without tools chooses no containment
  if (living.length === 0) return [];
  const scopes = living.map(({ scope }) => scope.inner);
  const counted = await containment().census(scopes);
  const turns = new Map<string, number>();
  for (const { scope } of living) {
    const turn = turnOf(scope.name);
    turns.set(turn, (turns.get(turn) ?? 0) + (counted.get(scope.inner)?.length ?? 0));
  }
  const threshold = limits.alarmProcesses;
  return [...turns].map(([turn, alive]) => ({ turn, processes: alive, threshold }));
}

/** Scopes are named `‹turn›.‹process›`, also those that an earlier gateway opened. */
function turnOf(scopeName: string): string {
  const dot = scopeName.lastIndexOf('.');
  return dot < 0 ? scopeName : scopeName.slice(0, dot);
}
