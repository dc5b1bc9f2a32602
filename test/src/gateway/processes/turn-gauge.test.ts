import t from 'tap';
import type { CrowdedTurn } from '../../../../src/core/work.js';
import { ToolBench } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';

const crowd = (processes: number) =>
  `for n in $(seq ${processes - 1}); do sleep 600 & done; exec sleep 600`;

t.test('a turn of which too much lives is told once, and which turn it is', async (t) => {
  const told: CrowdedTurn[] = [];
  const bench = new ToolBench(t, {
    limits: { gaugeEveryMs: 5, alarmProcesses: 6 },
    onCrowded: (crowded) => told.push(crowded),
  });
  const quiet = bench.turn.owner.turnId;
  await bench.background(crowd(5));
  const { turnId } = bench.nextTurn().owner;
  // neither of both is too much, together they are
  const first = await bench.background(crowd(4));
  await bench.background(crowd(4));
  bench.turn.release();
  const [alarm] = await until(() => told.length > 0 && told, 'the alarm');
  t.match(alarm, { turn: turnId, threshold: 6 });
  t.ok(Number(alarm?.processes) > 6);
  t.match(bench.logLines.join('\n'), /unusually many processes of one turn/);
  bench.nextTurn();
  await bench.process('kill', { process_id: first.process_id });
  await bench.background(crowd(7));
  await until(() => told.length > 1, 'the alarm of the third turn');
  t.equal(told.filter(({ turn }) => turn === turnId).length, 1, 'told once');
  t.notOk(told.some(({ turn }) => turn === quiet));
});
