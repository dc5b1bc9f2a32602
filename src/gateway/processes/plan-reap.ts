/** Why a turn is given up before it is over. */
export const ABANDON_CAUSES = ['inactivity', 'stop', 'new', 'caller-left'] as const;
export type AbandonCause = (typeof ABANDON_CAUSES)[number];

/** One run of a worker on a session, and what it may claim. */
export interface TurnClaim {
  readonly turnId: string;
  readonly sessionId: string;
  /** counts up with every turn: tells two turns of one session apart */
  readonly generation: number;
  /** processes that ran before it began */
  readonly baseline: ReadonlySet<string>;
  /** false from the instant its worker has returned: what it left, it left on purpose */
  readonly owns: boolean;
}

/** What is known about who started a process; all undefined for an adopted one. */
export interface ProcessOwner {
  readonly turnId: string;
  readonly sessionId: string;
  readonly generation: number;
}

export interface OwnedProcess {
  readonly id: string;
  readonly owner: ProcessOwner | undefined;
  /** meant to outlive its turn, whatever becomes of it */
  readonly persistOnRelease: boolean;
  readonly isRunning: boolean;
}

export interface ReapFacts {
  readonly claim: TurnClaim;
  readonly cause: AbandonCause;
  readonly processes: readonly OwnedProcess[];
}

/** The processes that an abandoned turn takes with it; never one of another turn. Pure. */
export function planReap({ claim, cause, processes }: ReapFacts): string[] {
  // an empty name would match every process that nobody owns
  if (!claim.owns || claim.turnId === '' || claim.sessionId === '') return [];
  return (
    processes
      .filter((one) => one.isRunning && !claim.baseline.has(one.id) && isOwnedBy(claim, one))
      // somebody who says stop means everything; for all other causes the wish to live on counts
      .filter((one) => cause === 'stop' || !one.persistOnRelease)
      .map(({ id }) => id)
  );
}

function isOwnedBy(claim: TurnClaim, { owner }: OwnedProcess): boolean {
  return (
    owner !== undefined &&
    owner.turnId === claim.turnId &&
    owner.sessionId === claim.sessionId &&
    owner.generation === claim.generation
  );
}
