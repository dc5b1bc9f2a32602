import { LeakGauge } from '../../src/containment/index.js';
import { describeOwner } from '../../src/core/owner.js';
import { lookDeeply, witnessSignal } from '../../src/forensics/index.js';
import { takeoverOf } from '../../src/ownership/takeover-marker.js';
import { here } from '../../src/store/index.js';
import { gaugeFacts } from '../containment/gauge-facts.js';
import { SourceWatch } from '../reload/source-watch.js';
import { listenForSignals } from '../signals.js';
import type { Answering } from './doors.js';

/** What looks at the host while we run: processes, files, signals. */
export function startWatches(before: Answering): void {
  const { supervisor, containment, hub, cleanup, owned } = before;
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
  cleanup.add(listenForSignals(process, signalActions(before)));
  // another may be starting the same gateways: ours have no time left
  void owned.lost.then(({ reason }) => {
    supervisor.shutDown(reason);
    supervisor.hurry();
  });
}

function signalActions(before: Answering) {
  const { supervisor } = before;
  return {
    stop: (signal: string) => {
      supervisor.shutDown(reasonOf(signal, before));
      testify(signal, before);
    },
    hurry: () => supervisor.hurry(),
    reload: () => void supervisor.reload('signal'),
    restartAll: () => supervisor.restartAll('signal'),
  };
}

/** A successor leaves a marker before it signals: then this is no stop by an operator. */
function reasonOf(signal: string, { layout, owned }: Answering): string {
  const takenOver = takeoverOf(layout.supervisorTakeover, owned.owner.identity);
  if (takenOver === undefined) return signal;
  return `${signal}: taken over by ${describeOwner(takenOver, here())}`;
}

/** Who may have sent it, for whoever asks later why everything stopped. */
function testify(signal: string, { options, layout, log }: Answering): void {
  const { env } = options;
  const witness = witnessSignal(signal, env);
  log.write({ level: 'info', message: 'a signal asks for the end', fields: { ...witness } });
  lookDeeply({ directory: layout.supervisorLogDir, witness, path: env.PATH });
}
