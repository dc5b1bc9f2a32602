import { join } from 'node:path';
import t from 'tap';
import { DEFAULT_RESTART_POLICY } from '../../../../src/core/judge.js';
import { OwnGuests, type WantedGuest } from '../../../../src/gateway/guests/own-guests.js';
import { createLog } from '../../../../src/gateway/log.js';
import { assignmentIn, shortDir } from '../../../support/gateway-assignment.js';
import { until } from '../../../support/until.js';

/** Two planned restarts are free; whoever waits after that would wait for minutes. */
const restart = { ...DEFAULT_RESTART_POLICY, plannedMax: 2, backoffBaseMs: 300_000 };

/** A process without a supervisor that serves `coder`; `env` is what it is started with. */
function serveCoder(t: Parameters<typeof shortDir>[0] & { teardown(act: () => unknown): unknown }) {
  const home = shortDir(t);
  const lines: string[] = [];
  const state = { env: {} as Record<string, string>, ready: 0 };
  const wanted = (): WantedGuest[] => {
    const { env } = state;
    const changes = { profile: 'coder', stateDir: join(home, 'coder'), apiServer: undefined, env };
    return [{ assignment: assignmentIn(home, changes), restart }];
  };
  const own = new OwnGuests({
    wanted,
    logOf: (profile) => createLog((line) => lines.push(line), { profile }),
    optionsFor: () => ({}),
    onReady: () => {
      state.ready++;
    },
    onServed: () => undefined,
  });
  t.teardown(() => own.leaveAll());
  const waits = () => lines.filter((line) => line.includes('"it is started again"'));
  const isReady = (count: number) =>
    until(`it is ready ${count} times`, () => state.ready === count, { deadlineMs: 60_000 });
  return { own, state, waits, isReady };
}

t.test('a guest that restarts itself for ever is held back as by a supervisor', async (t) => {
  const { own, state, waits, isReady } = serveCoder(t);
  own.look();
  for (let count = 1; count <= restart.plannedMax; count++) {
    await isReady(count);
    own.guests.unserve('coder', 'restart', 0);
  }
  await isReady(restart.plannedMax + 1);
  t.strictSame(waits(), [], 'so many are free');
  own.guests.unserve('coder', 'restart', 0);
  await until('it has to wait', () => waits().length === 1, { deadlineMs: 60_000 });
  t.strictSame(own.served, []);

  t.strictSame(own.look(), [], 'another look does not help it');
  state.env = { CHANGED: 'yes' };
  t.strictSame(own.look(), ['coder'], 'other inputs do');
  await isReady(restart.plannedMax + 2);
});
