import { LeakGauge } from '../../src/containment/index.js';
import { gaugeFacts } from '../containment/gauge-facts.js';
import { SourceWatch } from '../reload/source-watch.js';
import { listenForSignals } from '../signals.js';
import type { Supervisor } from '../supervisor.js';
import type { Answering } from './doors.js';

/** What looks at the host while we run: processes, files, signals. */
export function startWatches(running: Answering): void {
  const { supervisor, containment, hub, cleanup, owned } = running;
  const gauge = new LeakGauge(gaugeFacts(supervisor, containment, hub));
  gauge.start();
  cleanup.add(() => gauge.stop());
  const watch = new SourceWatch({
    sources: () => supervisor.config.sources,
    isNeeded: () => supervisor.awaitsChange,
    changed: () => supervisor.retryChanged(),
  });
  watch.start();
  cleanup.add(() => watch.stop());
  cleanup.add(listenForSignals(process, signalActions(supervisor)));
  // another may be starting the same gateways: ours have no time left
  void owned.lost.then(({ reason }) => {
    supervisor.shutDown(reason);
    supervisor.hurry();
  });
}

function signalActions(supervisor: Supervisor) {
  return {
    stop: (signal: string) => supervisor.shutDown(signal),
    hurry: () => supervisor.hurry(),
    reload: () => void supervisor.reload('signal'),
    restartAll: () => supervisor.restartAll('signal'),
  };
}
