import { profileLayout } from '../../src/config/paths.js';
import {
  bootId,
  identityOf,
  isAlive,
  Ledger,
  type LedgerRecord,
  readEarlierLife,
  readLife,
  readRegularFile,
  type SupervisorStore,
} from '../../src/store/index.js';
import { newestEvidence } from '../../src/watchdog/newest-evidence.js';
import type { EventHub } from '../events/event-hub.js';
import { recordVanished } from '../profile/vanished.js';
import type { Remembering } from './memory.js';

export interface Lived extends Remembering {
  readonly ledger: Ledger;
}

/**
 * Begins the record of our own life and tells how earlier ones ended. After the sweep: what it
 * ended had nobody to end it in order.
 */
export function recogniseEnds(before: Remembering): Lived {
  const { options, layout, startTicks, config, hub, cleanup, store } = before;
  const identity = identityOf(process.pid) ?? { pid: process.pid, startTicks, bootId: undefined };
  const supervisor = readLife(layout.ledger);
  const ledger = new Ledger({ path: layout.ledger, identity });
  tell(hub, '', ledger.earlier);
  for (const profile of config.profiles.keys()) {
    tell(hub, profile, readEarlierLife(profileLayout(options.home, profile).ledger));
  }
  const isNews = bookVanished(before, supervisor);
  const stop = hub.subscribe(({ event }) => {
    if (event.code === 'supervisor-draining') ledger.draining();
  });
  cleanup.add(() => {
    stop();
    // whatever ends us in order, a refusal too, comes by here
    ledger.exited(true);
  });
  // counters and verdicts of the profiles begin with what was just booked
  return { ...before, ledger, stored: isNews ? store.load() : before.stored };
}

function tell(hub: EventHub, profile: string, earlier: ReturnType<typeof readEarlierLife>): void {
  if (earlier.kind !== 'unclean') return;
  hub.publish({ code: 'unclean-exit', profile, detail: earlier.detail });
}

/**
 * Runs that nobody saw to end are deaths like all others: counted, in the history, told by `why`.
 * @returns whether there were any
 */
export function bookVanished(
  { options, stored, store, hub }: Pick<Remembering, 'options' | 'stored' | 'store' | 'hub'>,
  supervisor: LedgerRecord | undefined,
): boolean {
  // what even the sweep could not end is no death yet: the next start looks at it again
  const ended = stored.open.filter(({ identity }) => !isAlive(identity));
  for (const run of ended) {
    const { evidenceDir, ledger } = profileLayout(options.home, run.profile);
    const death = recordVanished({
      run,
      readyAt: readyAtOf(run, store),
      life: readLife(ledger),
      supervisor,
      note: newestEvidence(evidenceDir, readRegularFile),
      bootId: bootId(),
      nowMs: Date.now(),
    });
    hub.publish({ code: 'died', profile: run.profile, death });
  }
  return ended.length > 0;
}

const EVENTS_LOOKED_AT = 200;

function readyAtOf(
  run: { readonly profile: string; readonly generation: number; readonly spawnedAt: number },
  store: SupervisorStore,
): number | undefined {
  const query = { profile: run.profile, sinceMs: run.spawnedAt, limit: EVENTS_LOOKED_AT };
  const row = store
    .history(query)
    .find(({ event }) => event.code === 'ready' && event.generation === run.generation);
  return row === undefined ? undefined : Date.parse(row.at);
}
