import type { DrainReason } from '../core/ipc.js';
import { verdictOf } from './exit-verdict.js';

/** What a signal asks a gateway without a supervisor for; a second one of any kind hurries. */
const REASONS = { SIGTERM: 'stop', SIGINT: 'stop', SIGUSR2: 'restart' } as const;

export const END_SIGNALS = Object.keys(REASONS) as (keyof typeof REASONS)[];

/** @returns stops listening */
export function onSignals(hear: (signal: string, reason: DrainReason) => void): () => void {
  const removers = Object.entries(REASONS).map(([signal, reason]) => {
    const handler = () => hear(signal, reason);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of removers) remove();
  };
}

export function codeAfter(reason: DrainReason): number {
  return verdictOf({ restartRequested: reason === 'restart' });
}
