import { hostBudgets } from '../../src/config/index.js';
import { evidenceDirIn } from '../../src/config/paths.js';
import { openVoice } from '../../src/manager/index.js';
import { Herald } from '../manager/herald.js';
import { watchOwnLoop } from '../watch/own-loop.js';
import type { Answering } from './doors.js';

export interface Heard extends Answering {
  readonly herald: Herald;
}

/** The service manager hears of us from here on. */
export function callHerald(before: Answering): Heard {
  const { options, supervisor, hub, host, cleanup } = before;
  const voice = openVoice({
    env: options.env,
    pid: process.pid,
    trouble: (detail) => hub.publish({ code: 'manager-unheard', detail }),
  });
  const watchdog = watchOwnLoop({
    evidenceDir: evidenceDirIn(before.layout.stateDir),
    hasThread: before.config.host.watchThread || voice.watchdogMs !== undefined,
    record: (event) => hub.publish(event),
  });
  cleanup.add(() => watchdog.stop());
  const { start } = host();
  const herald = new Herald({
    voice,
    hub,
    onTime: {
      loopOnTime: () => watchdog.isOnTime,
      // late ones are ended by us: only where that fails the manager has to do it
      lateGateways: () =>
        supervisor.profiles
          .map((one) => one.view())
          .filter(({ desired, run }) => desired === 'running' && run?.isOverdue === true)
          .map(({ name }) => name),
    },
    profiles: () => supervisor.profiles.map((profile) => profile.view()),
    isLeaving: () => supervisor.isLeaving,
    budgets: () => hostBudgets(supervisor.config),
    // one after the other where the host has a single core
    startLimitMs: start.maxTotalMs * Math.max(1, supervisor.profiles.length),
  });
  herald.start();
  cleanup.add(() => herald.close());
  return { ...before, herald };
}
