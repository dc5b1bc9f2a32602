import t from 'tap';
import { judgeToolMemory } from '../../../src/containment/tool-memory.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const UNKNOWN = { askedBytes: undefined, hostBytes: undefined, constrainedBytes: undefined };

t.test('a command gets half of the host, what its cgroup may have, or 4 GiB', async (t) => {
  const judge = (facts: object) => judgeToolMemory({ ...UNKNOWN, ...facts });
  t.equal(judge({ hostBytes: 2 * GIB }), GIB, 'half of the host');
  t.equal(judge({ hostBytes: 64 * GIB }), 4 * GIB, 'never more than 4 GiB by itself');
  t.equal(judge({ hostBytes: 64 * GIB, constrainedBytes: 700 * MIB }), 700 * MIB, 'its cgroup');
  t.equal(judge({ hostBytes: 100 * MIB }), 64 * MIB, 'never less than 64 MiB');
  t.equal(judge({}), GIB, 'where nothing is known');
});

t.test('what the operator has set holds', async (t) => {
  const facts = { ...UNKNOWN, hostBytes: 64 * GIB };
  t.equal(judgeToolMemory({ ...facts, askedBytes: 20 * GIB }), 20 * GIB);
  t.equal(judgeToolMemory({ ...facts, askedBytes: 32 * MIB }), 32 * MIB);
});
