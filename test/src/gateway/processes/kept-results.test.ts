import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PROCESS_LIMITS } from '../../../../src/gateway/processes/limits.js';
import {
  type ProcessResult,
  parseResults,
  planKeep,
  renderResults,
} from '../../../../src/gateway/processes/results-file.js';
import { shortDir } from '../../../support/gateway-assignment.js';
import { gone, ToolBench } from '../../../support/gateway-tools.js';
import { until } from '../../../support/gateway-within.js';

const DAY_MS = 24 * 3_600_000;

function result(id: string, endedAt: number): ProcessResult {
  return {
    id,
    command: 'make',
    cwd: '/',
    pid: 42,
    sessionKey: 'agent:main:local:dm',
    startedAt: endedAt - 1000,
    endedAt,
    state: { kind: 'exited', code: 0, signal: null },
    outputTail: 'done',
  };
}

const fileOf = (bench: ToolBench) => join(bench.directory, 'state', 'process-results.json');

t.test('results are kept for seven days, and the newest 64 of them', async (t) => {
  const now = 100 * DAY_MS;
  const keep = (results: ProcessResult[]) =>
    planKeep({
      results,
      now,
      keptMs: PROCESS_LIMITS.resultKeptMs,
      max: PROCESS_LIMITS.maxResults,
    }).map(({ id }) => id);
  t.strictSame(keep([result('new', now - DAY_MS), result('old', now - 7 * DAY_MS)]), ['new']);
  const many = Array.from({ length: 70 }, (_, age) => result(`r${age}`, now - age));
  const kept = keep(many);
  t.equal(kept.length, 64);
  t.equal(kept.at(-1), 'r0', 'the newest');
  t.notOk(kept.includes('r64'), 'the oldest made room');
});

t.test('what is broken in the file is left out, the rest is read', async (t) => {
  const good = result('good', 1);
  const broken = [{}, 7, { ...good, id: 3 }, { ...good, state: { kind: 'exited', code: 'x' } }];
  const text = JSON.stringify({ results: [...broken, good] });
  t.strictSame(parseResults(JSON.parse(text)), [good]);
  t.strictSame(parseResults(undefined), []);
  t.strictSame(parseResults(JSON.parse(renderResults([good]))), [good]);
});

t.test('the next gateway knows how a process of this one ended', async (t) => {
  const directory = shortDir(t);
  const first = new ToolBench(t, { directory });
  await first.processes.recover();
  const ended = await first.background('echo built with $A_SECRET; echo --password=abcdef; exit 3');
  await first.process('wait', { process_id: ended.process_id });
  const running = await first.background('exec sleep 600');
  await first.processes.close();
  await gone(running.pid);
  const written = readFileSync(fileOf(first), 'utf8');
  t.notMatch(written, 'a-secret-of-the-profile');
  t.equal(statSync(fileOf(first)).mode & 0o777, 0o600);

  const second = new ToolBench(t, { directory });
  await second.processes.recover();
  const { process_id } = ended;
  for (const action of ['poll', 'log', 'wait', 'kill']) {
    t.match(
      await second.process(action, { process_id }),
      { state: 'exited', exit_code: 3, output: /^built with/, note: /only the end/ },
      action,
    );
  }
  t.match((await second.process('write', { process_id, text: 'x' })).error, /nobody to write to/);
  t.match(await second.process('poll', { process_id: running.process_id }), {
    state: 'killed',
    status: /the gateway stops/,
  });
  const listed = await second.process('list');
  t.strictSame(listed.processes, []);
  t.match(listed.ended_earlier, [{ state: 'killed' }, { process_id, state: 'exited' }]);
});

t.test('one conversation does not see the results of another one', async (t) => {
  const directory = shortDir(t);
  mkdirSync(join(directory, 'state'));
  const foreign = { ...result('proc-1', Date.now()), sessionKey: 'agent:main:other:dm' };
  writeFileSync(join(directory, 'state', 'process-results.json'), renderResults([foreign]));
  const bench = new ToolBench(t, { directory });
  await bench.processes.recover();
  t.match((await bench.process('poll', { process_id: 'proc-1' })).error, /no process is named/);
  t.strictSame(await bench.process('list'), { processes: [] });
});

t.test('a process that the registry has forgotten is still known by its result', async (t) => {
  const bench = new ToolBench(t, { limits: { finishedKeptMs: 1 } });
  await bench.processes.recover();
  const { process_id } = await bench.background('echo over');
  await until(() => bench.processes.registry.find(process_id) === undefined, 'it is forgotten');
  t.match(await bench.process('poll', { process_id }), { exit_code: 0, output: 'over\n' });
});

t.test('commands that were waited for leave no result', async (t) => {
  const bench = new ToolBench(t);
  await bench.processes.recover();
  await bench.terminal('true');
  await bench.terminal('sleep 60', { timeout_seconds: 0.05 });
  t.strictSame(await bench.process('list'), { processes: [] });
});
