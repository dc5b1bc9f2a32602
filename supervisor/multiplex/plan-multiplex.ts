import type { ProfileState } from '../../src/core/lifecycle.js';
import type { GatewayPlace, Move } from '../../src/core/moves.js';
import { DEFAULT_PROFILE } from '../../src/core/names.js';
import type { MoveStatus } from '../../src/core/status.js';

/**
 * The moves that bring running gateways where the configuration wants them, in the order in which
 * they are made. Out of the shared process first: what is taken out of it leaves room, and what
 * goes wrong there is met before anybody is put in. Who is not in `wanted` stays.
 */
export function planMultiplex(
  wanted: ReadonlyMap<string, GatewayPlace>,
  present: ReadonlyMap<string, GatewayPlace>,
): Move[] {
  const moves = [...present].flatMap(([profile, place]): Move[] => {
    const to = wanted.get(profile) ?? place;
    return to === place ? [] : [{ profile, to }];
  });
  return moves.sort((left, right) => rank(left) - rank(right) || compare(left, right));
}

export type MoveVerdict = 'under-way' | 'arrived' | 'given-up' | 'failed';

/** How a move has gone, by the state of its profile since it was asked to leave. */
export function judgeMove({ to }: Move, state: ProfileState): MoveVerdict {
  switch (state) {
    case 'starting':
    case 'draining':
      return 'under-way';
    case 'served':
      return to === 'served' ? 'arrived' : 'failed';
    case 'ready':
      return to === 'own' ? 'arrived' : 'failed';
    case 'degraded':
      // it runs where it was sent, and says what is wrong
      return 'arrived';
    case 'stopped':
      // an operator stopped it meanwhile
      return 'given-up';
    case 'backoff':
    case 'parked':
      return 'failed';
    default:
      return state satisfies never;
  }
}

/** The process that serves others. */
interface ServerFacts {
  /** it takes guests */
  readonly isOpen: boolean;
  /** it runs, or is on its way */
  readonly isActive: boolean;
}

/** Why somebody is not yet where it is to be moved, for an operator. */
export function tellPending({ to }: Move, server: ServerFacts): MoveStatus {
  const told = (detail: string, phase: MoveStatus['phase'] = 'under-way') => ({
    to,
    phase,
    detail,
  });
  if (to === 'own') return told(`it is to run in ${WORDS.own}, once it is its turn to be moved`);
  const served = `it is to be served by the gateway of ${DEFAULT_PROFILE}`;
  if (server.isOpen) return told(`${served}, once it is its turn to be moved`);
  const waits = `${served}, and runs in its own process until that one is ready`;
  return told(waits, server.isActive ? 'under-way' : 'waiting');
}

export function tellCurrent({ to }: Move): MoveStatus {
  return { to, phase: 'under-way', detail: `it is being moved into ${WORDS[to]}` };
}

export function tellFailed({ to }: Move, detail: string): MoveStatus {
  const words = `it could not be moved into ${WORDS[to]}, so it is where it was: ${detail}`;
  return { to, phase: 'failed', detail: words };
}

const WORDS: Readonly<Record<GatewayPlace, string>> = {
  own: 'a process of its own',
  served: `the process of ${DEFAULT_PROFILE}`,
};

/** It is not about to change by itself, or only after a while. */
export function isSettled(state: ProfileState): boolean {
  return state !== 'starting' && state !== 'draining';
}

function rank({ to }: Move): number {
  return to === 'own' ? 0 : 1;
}

function compare(left: Move, right: Move): number {
  return left.profile < right.profile ? -1 : 1;
}
