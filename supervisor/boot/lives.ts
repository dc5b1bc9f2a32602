import { profileLayout } from '../../src/config/paths.js';
import { identityOf, Ledger, readEarlierLife } from '../../src/store/index.js';
import type { EventHub } from '../events/event-hub.js';
import type { Remembering } from './memory.js';

export interface Lived extends Remembering {
  readonly ledger: Ledger;
}

/**
 * Begins the record of our own life and tells how earlier ones ended. After the sweep: what it
 * ended had nobody to end it in order.
 */
export function recogniseEnds(before: Remembering): Lived {
  const { options, layout, startTicks, config, hub, cleanup } = before;
  const identity = identityOf(process.pid) ?? { pid: process.pid, startTicks, bootId: undefined };
  const ledger = new Ledger({ path: layout.ledger, identity });
  tell(hub, '', ledger.earlier);
  for (const profile of config.profiles.keys()) {
    tell(hub, profile, readEarlierLife(profileLayout(options.home, profile).ledger));
  }
  const stop = hub.subscribe(({ event }) => {
    if (event.code === 'supervisor-draining') ledger.draining();
  });
  cleanup.add(() => {
    stop();
    // whatever ends us in order, a refusal too, comes by here
    ledger.exited(true);
  });
  return { ...before, ledger };
}

function tell(hub: EventHub, profile: string, earlier: ReturnType<typeof readEarlierLife>): void {
  if (earlier.kind !== 'unclean') return;
  hub.publish({ code: 'unclean-exit', profile, detail: earlier.detail });
}
