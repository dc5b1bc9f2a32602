import t from 'tap';
import { planPrune } from '../../../../src/gateway/processes/plan-prune.js';
import type { ProcessState } from '../../../../src/gateway/processes/tool-process.js';

const exited = (at: number): ProcessState => ({ kind: 'exited', code: 0, signal: null, at });
const one = (id: string, state: ProcessState, isOccupied = false) => ({ id, state, isOccupied });

t.test('what has ended is forgotten after its time', async (t) => {
  const processes = [one('old', exited(0)), one('new', exited(50))];
  t.strictSame(planPrune({ processes, now: 100, keptMs: 100, max: 10 }), ['old']);
});

t.test('the oldest ended ones make room, what runs never does', async (t) => {
  const processes = [
    one('runs', { kind: 'running' }),
    one('later', exited(2)),
    one('first', exited(1)),
    one('stuck', { kind: 'stuck', by: 'x', pids: [7] }),
    one('tree lives', exited(0), true),
  ];
  t.strictSame(planPrune({ processes, now: 3, keptMs: 100, max: 4 }), ['first']);
  t.strictSame(planPrune({ processes, now: 3, keptMs: 100, max: 0 }), ['first', 'later']);
});
