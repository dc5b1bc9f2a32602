import type { PlatformAdapter } from '../platforms/port.js';
import type { Reporter } from '../reporter.js';
import type { SessionStore } from '../sessions/store.js';
import type { GatewayTimings } from '../timings.js';
import type { ProvenPart } from './proofs.js';

interface Surroundings {
  readonly timings: Pick<GatewayTimings, 'closeGraceMs'>;
  readonly reporter: Pick<Reporter, 'changed'>;
}

/** Each platform asks itself from outside, as its people do. */
export function platformParts(
  adapters: readonly PlatformAdapter[],
  { timings, reporter }: Surroundings,
): ProvenPart[] {
  return adapters.map((adapter) => ({
    name: `platform ${adapter.name}`,
    prove: (giveUp) => adapter.verify(giveUp),
    reopen: async () => {
      await adapter.close(timings.closeGraceMs);
      await adapter.open();
      reporter.changed();
    },
  }));
}

/** The writer of state.db: it works when nothing waits, or what waits gets in. */
export function storePart(store: Pick<SessionStore, 'prove' | 'reopen'>): ProvenPart {
  return {
    name: 'session store',
    prove: async () => store.prove(),
    reopen: () => store.reopen(),
  };
}
