import {
  ALWAYS_ON_TIME,
  type ExtensionTimes,
  feedWatchdog,
  keepExtending,
  type ManagerVoice,
  type OnTime,
} from '../manager/index.js';
import type { StandaloneOptions } from './standalone.js';

export interface ManagerEarsFacts {
  readonly profile: string;
  readonly voice: ManagerVoice;
  /** how long a stop may take, with the wait for the turn that asks for a restart */
  readonly stopLimitMs: number;
  readonly onTime?: OnTime;
  readonly extension?: ExtensionTimes;
}

export interface ManagerEars
  extends Required<Pick<StandaloneOptions, 'onReady' | 'onPhase' | 'onStopping'>> {
  close(): void;
}

/** What a gateway without a supervisor tells the service manager that runs it. */
export function managerEars(facts: ManagerEarsFacts): ManagerEars {
  const { profile, voice, stopLimitMs, onTime = ALWAYS_ON_TIME, extension } = facts;
  let stopExtending: () => void = () => undefined;
  let isStopping = false;
  const stopFeeding = feedWatchdog(voice, onTime, (because) => {
    if (isStopping) return;
    const status = because === undefined ? `${profile} ready` : `watchdog not fed: ${because}`;
    voice.tell({ code: 'status', status });
  });
  return {
    onPhase(phase, leaseMs) {
      voice.tell({ code: 'status', status: `${profile} starting: ${phase}` });
      voice.tell({ code: 'extend', byMs: leaseMs });
    },
    onReady({ listen }) {
      const where = listen.length === 0 ? '' : `: ${listen.join(' ')}`;
      voice.tell({ code: 'ready', status: `${profile} ready${where}` });
    },
    onStopping(reason) {
      isStopping = true;
      const next = reason === 'restart' ? 'a restart' : 'a stop';
      voice.tell({ code: 'stopping', status: `${profile} drains for ${next}` });
      stopExtending = keepExtending(voice, stopLimitMs, extension);
    },
    close() {
      stopExtending();
      stopFeeding();
      voice.close();
    },
  };
}
