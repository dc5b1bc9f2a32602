import type { GatewayLog } from '../log.js';
import type { Reporter } from '../reporter.js';
import { refusingBecause } from '../turns/refusals.js';
import type { TurnRunner } from '../turns/runner.js';
import type { DrainRequest } from './drain-request.js';
import { DrainRequestWatch } from './drain-request-watch.js';

export interface HeedParts {
  readonly turns: Pick<TurnRunner, 'hold'>;
  readonly log: GatewayLog;
  readonly reporter: Pick<Reporter, 'changed'>;
}

const HELD_BY_FILE = 'a drain was asked for from outside';

/** Takes nothing new while the marker file asks for that; resolves after the first look. */
export async function heedDrainRequests(
  stateDir: string,
  lookEveryMs: number,
  { turns, log, reporter }: HeedParts,
): Promise<DrainRequestWatch> {
  const onChange = (request: DrainRequest) => {
    turns.hold(request.kind === 'active' ? refusingBecause(HELD_BY_FILE) : undefined);
    const isOdd = request.kind === 'active' && request.complaints.length > 0;
    log[isOdd ? 'warn' : 'info'](HELD_BY_FILE, { ...request });
    reporter.changed();
  };
  const watch = new DrainRequestWatch(stateDir, { lookEveryMs, onChange });
  await watch.start();
  return watch;
}
