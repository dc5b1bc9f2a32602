import { hostBudgets } from '../../src/config/index.js';
import { ALWAYS_ON_TIME, openVoice } from '../../src/manager/index.js';
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
  const watchdog = watchOwnLoop(before.layout.stateDir, (event) => hub.publish(event));
  cleanup.add(() => watchdog.stop());
  const { start } = host();
  const herald = new Herald({
    voice,
    hub,
    // a gateway that is late is ended by us: that is no reason to end us
    onTime: { ...ALWAYS_ON_TIME, loopOnTime: () => watchdog.isOnTime },
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
