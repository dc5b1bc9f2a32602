import t from 'tap';
import { describeUnitState, parseUnitState } from '../../../units/systemd/unit-state.js';

const shown = (values: Readonly<Record<string, string>>) =>
  parseUnitState(
    Object.entries({ LoadState: 'loaded', MainPID: '0', ...values })
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  );

t.test('what systemd shows becomes one clause', async (t) => {
  const table: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ LoadState: 'not-found' }, 'not installed'],
    [{ ActiveState: 'active', SubState: 'running', MainPID: '42' }, 'active (running), pid 42'],
    [
      { ActiveState: 'failed', SubState: 'failed', ExecMainCode: '1', ExecMainStatus: '78' },
      'failed, exit 78 (config)',
    ],
    [
      {
        ActiveState: 'activating',
        SubState: 'auto-restart',
        ExecMainCode: '2',
        ExecMainStatus: '9',
      },
      'activating (auto-restart), ended by signal 9',
    ],
    [{ ActiveState: 'inactive', SubState: 'dead', ExecMainCode: '0' }, 'inactive (dead)'],
  ];
  for (const [values, clause] of table) t.equal(describeUnitState(shown(values)), clause);
});

t.test('a death by signal has no exit code, and an exit no signal', async (t) => {
  t.match(shown({ ExecMainCode: '2', ExecMainStatus: '15' }), { signal: 15, exitCode: undefined });
  t.match(shown({ ExecMainCode: '1', ExecMainStatus: '0' }), { signal: undefined, exitCode: 0 });
});
