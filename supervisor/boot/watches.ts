import { LeakGauge } from '../../src/containment/index.js';
import { lookDeeply, witnessSignal } from '../../src/forensics/index.js';
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
      supervisor.shutDown(signal);
      testify(signal, before);
    },
    hurry: () => supervisor.hurry(),
    reload: () => void supervisor.reload('signal'),
    restartAll: () => supervisor.restartAll('signal'),
  };
}

/** Who may have sent it, for whoever asks later why everything stopped. */
function testify(signal: string, { options, layout, log }: Answering): void {
  const { env } = options;
  const witness = witnessSignal(signal, env);
  log.write({ level: 'info', message: 'a signal asks for the end', fields: { ...witness } });
  lookDeeply({ directory: layout.supervisorLogDir, witness, path: env.PATH });
}
