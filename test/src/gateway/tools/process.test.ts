import t from 'tap';
import { isAlive } from '../../../support/gateway-processes.js';
import { gone, ToolBench } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';

t.test('a process in the background is listed, polled, read, and waited for', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('echo one; read line; echo "got $line"; exit 4', {
    keep_stdin: true,
  });
  t.match((await bench.process('list')).processes, [{ process_id, state: 'running' }]);
  let seen = '';
  await until(async () => {
    seen += (await bench.process('poll', { process_id })).output;
    return seen === 'one\n';
  }, 'the first line');
  t.equal((await bench.process('poll', { process_id })).output, '', 'what was shown is not news');
  await bench.process('write', { process_id, text: 'hello\n' });
  const end = await bench.process('wait', { process_id });
  t.match(end, { state: 'exited', exit_code: 4, output: 'got hello\n' });
  const log = await bench.process('log', { process_id, offset: 4, limit: 3 });
  t.match(log, { first_position: 0, from: 4, to: 7, end_position: 14, output: 'got' });
});

t.test('an input that is closed at its end ends a reader', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('wc -c', { keep_stdin: true });
  await bench.process('write', { process_id, text: 'abc', end_of_input: true });
  t.equal((await bench.process('wait', { process_id })).output.trim(), '3');
  t.match((await bench.process('write', { process_id, text: 'x' })).error, /input is closed/);
});

t.test('a process that reads nothing is not sent more than so much', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('exec sleep 60', { keep_stdin: true });
  const text = 'x'.repeat(60_000);
  const errors: string[] = [];
  for (let round = 0; round < 20 && errors.length === 0; round++) {
    const { error } = await bench.process('write', { process_id, text });
    if (error !== undefined) errors.push(error);
  }
  t.match(errors, [/has not read/]);
});

t.test('kill ends a process with all that it started', async (t) => {
  const bench = new ToolBench(t, { limits: { termGraceMs: 100 } });
  const { process_id, pid } = await bench.background(
    'trap "" TERM; setsid sh -c \'trap "" TERM; sleep 60\' & echo $!; wait; sleep 60',
  );
  const inner = await until(async () => {
    const { output } = await bench.process('log', { process_id });
    return Number(output.trim()) || undefined;
  }, 'the inner pid');
  t.match(await bench.process('kill', { process_id }), { state: 'killed' });
  t.notOk(isAlive(pid));
  t.notOk(isAlive(inner));
  t.match(await bench.process('poll', { process_id }), { state: 'killed' }, 'its end is known');
  t.strictSame(bench.notices, [], 'who ended it need not be told');
});

t.test('one conversation neither sees nor ends what another one runs', async (t) => {
  const bench = new ToolBench(t);
  const { process_id, pid } = await bench.background('exec sleep 60');
  const origin = { ...bench.turn.origin, sessionKey: 'agent:main:local:dm:other' };
  bench.turn = bench.processes.claims.begin('turn-other', origin);
  t.strictSame((await bench.process('list')).processes, []);
  t.match((await bench.process('kill', { process_id })).error, /no process is named/);
  t.ok(isAlive(pid));
});

for (const [what, input, error] of [
  ['an unknown action', { action: 'dance' }, /one of list, poll/],
  ['no process', { action: 'poll' }, /expected process_id/],
  ['an unknown process', { action: 'poll', process_id: 'proc-0' }, /no process is named proc-0/],
  ['an unknown argument', { action: 'list', all: true }, /got all/],
] as const) {
  t.test(`${what} is told to the agent`, async (t) => {
    t.match((await new ToolBench(t).call('process', input)).error, error);
  });
}

t.test('a wait of nothing or for ever is refused', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('exec sleep 60');
  for (const timeout_seconds of [0, -1, 181]) {
    const said = await bench.process('wait', { process_id, timeout_seconds });
    t.match(said.error, /from 0.001 to 180/);
  }
});

t.test('at most so many are known: ended ones make room, running ones do not', async (t) => {
  const bench = new ToolBench(t, { limits: { maxTracked: 3 } });
  const first = await bench.background('true');
  await bench.process('wait', { process_id: first.process_id });
  for (let round = 0; round < 3; round++) await bench.background('exec sleep 60');
  t.equal(bench.processes.registry.find(first.process_id), undefined);
  t.match(await bench.process('poll', { process_id: first.process_id }), { note: /only the end/ });
  t.match((await bench.background('true')).error, /3 processes run already/);
});

t.test('the end of a process is news for its conversation, once', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('echo last words; exit 9');
  const [notice] = await until(() => bench.notices.length > 0 && bench.notices, 'the news');
  t.match(notice, { processId: process_id, origin: { sessionId: 's1' } });
  t.match(notice?.text, /ended with exit code 9 after [\s\S]*last words/);
  t.equal(notice?.isWanted(), true);
  await bench.process('poll', { process_id });
  t.equal(notice?.isWanted(), false, 'the agent has looked by itself');
});

t.test('an end that is waited for, or not wanted, is no news', async (t) => {
  const bench = new ToolBench(t);
  const awaited = await bench.background('sleep 0.1');
  await bench.process('wait', { process_id: awaited.process_id });
  const quiet = await bench.background('true', { notify_on_complete: false });
  await gone(quiet.pid);
  const loud = await bench.background('true');
  await until(() => bench.notices.length > 0, 'the news');
  t.strictSame(
    bench.notices.map(({ processId }) => processId),
    [loud.process_id],
  );
});

t.test('a line that holds a pattern is news while the process runs', async (t) => {
  const bench = new ToolBench(t);
  const { process_id } = await bench.background('echo warming up; echo server READY; sleep 60', {
    watch_patterns: ['READY'],
  });
  const [notice] = await until(() => bench.notices.length > 0 && bench.notices, 'the news');
  t.match(notice?.text, /server READY/);
  t.notMatch(notice?.text, /^warming up/m);
  t.match(await bench.process('poll', { process_id }), { state: 'running' });
});

t.test(
  'a program that prints without end keeps its newest output and starves nobody',
  async (t) => {
    const bench = new ToolBench(t, { limits: { outputChars: 1000, burstBytes: 65_536 } });
    const { process_id } = await bench.background('yes news');
    const process = bench.processes.registry.find(process_id);
    await until(() => (process?.output?.totalChars ?? 0) > 500_000, 'much output');
    t.match(await bench.terminal('echo here'), { output: 'here\n' });
    const output = process?.output?.since(0) ?? '';
    t.equal(output.length, 1000);
    t.match(await bench.process('log', { process_id, offset: 0, limit: 10 }), {
      from: Number,
      output: /news/,
    });
    t.match(await bench.process('kill', { process_id }), { state: 'killed' });
  },
);
