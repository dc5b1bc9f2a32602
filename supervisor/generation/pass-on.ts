import type { FromWorker } from '../../src/core/ipc.js';
import type { GenerationListener } from './generation.js';

/** A word of a gateway about itself, whether it has its process alone or is a guest in one. */
export type GatewayWord = Exclude<FromWorker, { code: 'hello' | 'taken' | 'unserved' }>;

export function passOn(message: GatewayWord, listener: GenerationListener): void {
  switch (message.code) {
    case 'phase':
      listener.phase(message.phase, message.leaseMs);
      return;
    case 'listen':
      listener.listen(message.id, message.address);
      return;
    case 'ready':
      listener.ready(message.report);
      return;
    case 'report':
      listener.report(message.report);
      return;
    case 'degraded':
      listener.degraded(message.detail);
      return;
    case 'recovered':
      listener.recovered();
      return;
    case 'processes-high':
      listener.turnCrowded(message);
      return;
    case 'restart-wanted':
      listener.restartWanted(message.detail);
      return;
    case 'farewell':
      listener.farewell({ detail: message.detail, remedy: message.remedy });
      return;
    default:
      message satisfies never;
  }
}
