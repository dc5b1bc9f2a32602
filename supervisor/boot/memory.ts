import type { HostConfig } from '../../src/config/model.js';
import {
  openSupervisorStore,
  type StoredState,
  type SupervisorStore,
} from '../../src/store/index.js';
import { UnendedTrees } from '../containment/unended-trees.js';
import { describeEvent } from '../events/describe-event.js';
import { EventHub } from '../events/event-hub.js';
import { ProfileLogs } from '../logs/profile-logs.js';
import type { Supervisor } from '../supervisor.js';
import type { Grounded } from './ground.js';

export interface Remembering extends Grounded {
  /** filled by a later step, for parts that are opened before it and tell it something */
  readonly late: LateParts;
  readonly store: SupervisorStore;
  readonly stored: StoredState;
  readonly hub: EventHub;
  /** the newest configuration of the host */
  readonly host: () => HostConfig;
  readonly logs: ProfileLogs;
  readonly unended: UnendedTrees;
}

export interface LateParts {
  hub?: EventHub;
  supervisor?: Supervisor;
}

/**
 * What earlier supervisors knew, and who is told of what happens from here on.
 * @throws GatewardenError schema-newer, store-corrupt
 */
export function recall(before: Grounded): Remembering {
  const { options, config, log, cleanup } = before;
  const late: LateParts = {};
  const store = openStore(before, late);
  const stored = store.load();
  const hub = new EventHub(stored.nextCursor);
  late.hub = hub;
  hub.subscribe((recorded) => store.record(recorded));
  hub.subscribe(({ event }) => log.write(describeEvent(event)));
  const host = () => late.supervisor?.config.host ?? config.host;
  const logs = new ProfileLogs({ home: options.home, host, hub, log });
  cleanup.add(() => logs.closeAll());
  const unended = new UnendedTrees((profile = '', pids) =>
    hub.publish({ code: 'leftovers-ended', profile, pids }),
  );
  cleanup.add(() => unended.stop());
  return { ...before, late, store, stored, hub, host, logs, unended };
}

function openStore({ layout, cleanup }: Grounded, late: LateParts): SupervisorStore {
  const store = openSupervisorStore({
    path: layout.supervisorDb,
    onFailing: (detail) => late.hub?.publish({ code: 'store-failing', detail }),
    onRecovered: (written) => {
      late.supervisor?.adopt(store.load());
      late.hub?.publish({ code: 'store-recovered', written });
    },
  });
  cleanup.add(() => void store.close());
  return store;
}
