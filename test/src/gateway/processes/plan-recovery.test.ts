import t from 'tap';
import type { ProcessIdentity } from '../../../../src/core/process-identity.js';
import {
  type CheckpointEntry,
  parseCheckpoint,
  renderCheckpoint,
} from '../../../../src/gateway/processes/checkpoint-file.js';
import { planRecovery } from '../../../../src/gateway/processes/plan-recovery.js';

const identity = (pid: number): ProcessIdentity => ({ pid, startTicks: pid * 10, bootId: 'b' });
const SELF = identity(100);

const ENTRY: CheckpointEntry = {
  id: 'proc-1',
  command: 'sleep 60',
  cwd: '/srv',
  startedAt: 1,
  identity: identity(7),
  scopeName: 'turn-1.proc-1',
  scopeTag: 'x:turn-1.proc-1',
  sessionKey: 'k',
  sessionId: 's',
  platform: 'local',
  chatId: undefined,
  persistOnRelease: false,
  notifyOnComplete: true,
  writer: identity(50),
};

function planned(alive: Readonly<Record<number, 'alive' | 'unknown'>>, entry = ENTRY): string[] {
  const livenessOf = ({ pid }: ProcessIdentity) => alive[pid] ?? 'dead';
  return planRecovery({ entries: [entry], self: SELF, livenessOf }).map(({ kind }) => kind);
}

t.test('what lives is adopted, what is gone only has its scope ended', async (t) => {
  t.strictSame(planned({ 7: 'alive' }), ['adopt']);
  t.strictSame(planned({}), ['end-scope']);
  t.strictSame(planned({ 7: 'unknown' }), ['end-scope'], 'no proof is no adoption');
});

t.test('the entries of a gateway that lives are its own business', async (t) => {
  t.strictSame(planned({ 7: 'alive', 50: 'alive' }), ['leave']);
  t.strictSame(planned({ 7: 'alive', 100: 'alive' }, { ...ENTRY, writer: SELF }), ['adopt']);
});

t.test('a checkpoint is read as it was written', async (t) => {
  const entries = [ENTRY, { ...ENTRY, id: 'proc-2', chatId: 'c' }];
  t.strictSame(parseCheckpoint(JSON.parse(renderCheckpoint(entries))), [
    // what is undefined is left out of JSON
    JSON.parse(JSON.stringify(ENTRY)),
    { ...ENTRY, id: 'proc-2', chatId: 'c' },
  ]);
});

for (const [what, broken] of [
  ['no writer', { writer: undefined }],
  ['a writer without a start time', { writer: { pid: 50 } }],
  ['a pid that means everybody', { identity: { ...identity(7), pid: 1 } }],
  ['a negative pid', { identity: { ...identity(7), pid: -7 } }],
  ['a process without a start time', { identity: { pid: 7, bootId: 'b' } }],
  ['no scope', { scopeTag: 3 }],
  ['a flag that is none', { persistOnRelease: 'yes' }],
] as const) {
  t.test(`an entry with ${what} is dropped and the others stay`, async (t) => {
    const value = { processes: [{ ...ENTRY, ...broken }, ENTRY] };
    t.equal(parseCheckpoint(value).length, 1);
  });
}

t.test('a file that is something else holds no entries', async (t) => {
  for (const value of [undefined, null, 3, [], {}, { processes: {} }, { processes: [null, 1] }]) {
    t.strictSame(parseCheckpoint(value), []);
  }
});
