import { availableParallelism } from 'node:os';
import type { LoadedConfig } from '../../src/config/model.js';
import { StartSlots } from '../profile/start-slots.js';
import type { Roster } from '../roster.js';
import { Multiplex, type MultiplexFacts } from './multiplex.js';

export interface Surroundings extends Pick<MultiplexFacts, 'record' | 'isLeaving'> {
  readonly roster: Roster;
  /** the newest */
  readonly config: () => LoadedConfig;
  readonly random: () => number;
}

/** Ties it to the profiles under supervision and to the queue in which all of them start. */
export function makeMultiplex({ roster, config, random, ...rest }: Surroundings): Multiplex {
  const slots = new StartSlots({
    limit: () => config().host.start.concurrency || availableParallelism(),
    jitterMs: () => config().host.start.jitterMs,
    random,
  });
  const find = (name: string) => (roster.has(name) ? roster.get(name) : undefined);
  return new Multiplex({ ...rest, find, slots });
}
