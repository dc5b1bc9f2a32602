import t from 'tap';
import { openVoice } from '../../../src/manager/index.js';
import { StandbyVoice } from '../../../supervisor/manager/standby-voice.js';
import { listenForNotify } from '../../support/notify-listener.js';

t.test(
  'who stands by tells its manager for whom it waits, and moves the limit of its start along',
  async (t) => {
    const manager = listenForNotify(t);
    let opened = 0;
    const standby = new StandbyVoice(
      () => {
        opened++;
        const env = { NOTIFY_SOCKET: manager.path };
        return openVoice({ env, pid: process.pid, trouble: (detail) => t.fail(detail) });
      },
      { everyMs: 5, byMs: 2000 },
    );
    t.equal(opened, 0, 'nothing is told while there is nobody to wait for');
    standby.standsBy('pid 7 (on host a)');
    standby.standsBy('pid 8 (on host b)');
    t.equal(opened, 1);
    await manager.untilTold('STATUS=standing by: pid 7 (on host a) owns the home');
    await manager.untilTold('STATUS=standing by: pid 8 (on host b) owns the home');
    const extended = () =>
      manager.messages.filter((text) => text === 'EXTEND_TIMEOUT_USEC=2000000\n');
    await manager.untilTold('EXTEND_TIMEOUT_USEC=2000000');
    const { length } = extended();
    while (extended().length <= length) await new Promise((resolve) => setImmediate(resolve));
    t.notOk(
      manager.messages.some((text) => text.includes('READY')),
      'it is not ready: nothing of it runs',
    );
    standby.close();
  },
);
