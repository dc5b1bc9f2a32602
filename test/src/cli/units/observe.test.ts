import t from 'tap';
import { exitCodeOf, judgeRun } from '../../../../src/cli/units/observe.js';
import { CLI_EXIT, EXIT } from '../../../../src/core/exit-codes.js';
import type { ManagedState } from '../../../../units/unit-manager.js';

const stateWith = (changes: Partial<ManagedState>): ManagedState => ({
  isInstalled: true,
  pid: 2,
  isReady: true,
  isResting: false,
  isFailed: false,
  exitCode: undefined,
  words: 'active',
  look: 'journalctl',
  ...changes,
});

const judge = (state: Partial<ManagedState>, facts = {}) =>
  judgeRun({ state: stateWith(state), oldPid: 1, readyPid: 2, isLate: false, ...facts });

t.test('a restart is done with a new pid, an active unit and that pid’s own word', async (t) => {
  t.equal(judge({}), 'done');
  t.equal(judge({}, { oldPid: 2 }), 'waiting', 'the old process is no restart');
  t.equal(judge({ isReady: false }), 'waiting', 'a pid alone is not ready');
  t.equal(judge({}, { readyPid: 1 }), 'waiting', 'the word of the old process counts for nothing');
  t.equal(judge({}, { readyPid: undefined }), 'waiting', 'nor does silence');
  t.equal(judge({ isReady: false }, { isLate: true }), 'unfinished');
});

t.test('what rests is failed, what is between two tries is not', async (t) => {
  const resting = { pid: undefined, isReady: false, isResting: true };
  t.equal(judge({ ...resting, isFailed: true, exitCode: EXIT.config }), 'failed');
  t.equal(judge({ pid: undefined, isReady: false }), 'waiting');
});

t.test('a refusal by configuration is told as one', async (t) => {
  const failed = (exitCode: number | undefined) =>
    exitCodeOf({ kind: 'failed', state: stateWith({ exitCode }) });
  t.equal(failed(EXIT.config), CLI_EXIT.refused);
  t.equal(failed(EXIT.failure), CLI_EXIT.failed);
  t.equal(failed(undefined), CLI_EXIT.failed);
  t.equal(exitCodeOf({ kind: 'unfinished', state: stateWith({}) }), CLI_EXIT.unfinished);
});
