import t from 'tap';
import { describeSlotState, parseSlotState } from '../../../units/s6/slot-state.js';

t.test('what s6-svstat says becomes a state and one clause', async (t) => {
  const table: readonly (readonly [line: string, clause: string])[] = [
    ['true true true 4242 -1 NA', 'up, pid 4242'],
    ['true true false 4242 -1 NA', 'up, not ready yet, pid 4242'],
    ['false false false -1 78 NA', 'down after exit 78'],
    ['false true false -1 1 NA', 'down after exit 1, starts again'],
    ['false true false -1 -1 SIGKILL', 'down after SIGKILL, starts again'],
    ['false false false -1 NA NA', 'down, not started yet'],
  ];
  for (const [line, clause] of table) t.equal(describeSlotState(parseSlotState(line)), clause);
});
