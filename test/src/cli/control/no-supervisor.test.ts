import t from 'tap';
import { judgeStart } from '../../../../src/cli/control/no-supervisor.js';
import { describeStray } from '../../../../src/cli/units/sights.js';

t.test(
  'what a manager has is started by it; root starts nothing of its own elsewhere',
  async (t) => {
    const unit = (profile: string | null) => ({ profile });
    const table = [
      [[], undefined, 'start one with: gatewarden up'],
      [[unit(null)], undefined, 'start it with: gatewarden start'],
      [[unit('a')], 1000, 'start it with: gatewarden start'],
      [[unit('a'), unit('b')], undefined, 'start it with: gatewarden start --all'],
      [[], 1000, "start one as the account of the home: sudo -u '#1000' gatewarden up"],
    ] as const;
    for (const [units, strangerUid, told] of table) {
      t.equal(judgeStart({ units, strangerUid }), told);
    }
  },
);

t.test(
  'a supervisor that answers while its unit is down is told to be watched by nobody',
  async (t) => {
    const unit = {
      name: 'gatewarden',
      manager: 's6',
      scope: 'system',
      profile: null,
      pid: null,
      state: 'down',
      words: 'down after exit 78',
      look: '',
      exitCode: 78,
    } as const;
    t.match(
      describeStray(unit, 7),
      'pid 7 runs outside of gatewarden (s6), which is down after exit 78',
    );
    t.match(describeStray(unit, 7), 'end it with: kill 7; then: gatewarden start');
    t.equal(describeStray({ ...unit, state: 'ready', pid: 7 }, 7), undefined);
    t.equal(describeStray({ ...unit, profile: 'coder' }, 7), undefined);
  },
);
