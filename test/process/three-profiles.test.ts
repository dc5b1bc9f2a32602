import { writeFileSync } from 'node:fs';
import t from 'tap';
import { STATUS_EXIT } from '../../src/core/exit-codes.js';
import { fixture } from '../support/fixture.js';
import { says, startModelServer } from '../support/gateway-model-server.js';
import { runCli } from '../support/run-cli.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli, rowOf, untilStatus, up } from '../support/up.js';

t.test('three kinds of profiles, one of which refuses, shown as they are', async (t) => {
  const model = await startModelServer(t, says(['from ', 'the model']));
  const home = makeHome(t, {
    ...profileFile('model', {
      agent: { driver: 'openai', base_url: model.baseUrl, api_key: '${KEY}', model: 'test' },
    }),
    'profiles/model/.env': 'KEY=sk-canary-0123456789\n',
    ...profileFile('shell', {
      command: [fixture('says-then-sleeps'), 'serving'],
      ready: { log: '^serving' },
    }),
    ...profileFile('python', {
      command: ['/usr/bin/env', 'python3', fixture('notifies.py')],
      ready: 'notify',
    }),
    ...profileFile('refuser', { command: [fixture('exits-78')] }),
    'profiles/model.bak/config.yaml': '{}',
  });
  await up(t, home);
  const report = await untilStatus(
    home,
    'three are ready and one is parked',
    ({ profiles }) =>
      profiles.filter(({ state }) => state === 'ready').length === 3 &&
      profiles.some(({ state }) => state === 'parked'),
  );
  t.match(report.supervisor.notices, [/model\.bak/], 'a copy that is no profile is told');
  const refuser = rowOf(report, 'refuser');
  t.match(refuser, {
    desired: 'running',
    state: 'parked',
    pid: null,
    generation: 1,
    lastExit: { code: 78, signal: null, cause: 'config' },
    parked: { reason: 'config', detail: 'no token is set', retriesOn: 'config-change' },
  });
  t.equal((await cli(home, 'status')).code, STATUS_EXIT.down);
  const answer = await runCli(['--home', home, 'chat', 'model'], { input: 'hello' });
  t.strictSame([answer.code, answer.stdout, answer.stderr], [0, 'from the model\n', '']);
  t.equal(model.calls.at(-1)?.headers.authorization, 'Bearer sk-canary-0123456789');
  t.notMatch((await cli(home, 'status', '--json')).stdout, /sk-canary/);
  // mended without a verb: the file changes, the profile starts
  writeFileSync(
    `${home}/profiles/refuser/config.yaml`,
    JSON.stringify({ command: [fixture('never-ready')] }),
  );
  const mended = await untilStatus(
    home,
    'the mended profile is ready',
    (now) => rowOf(now, 'refuser')?.state === 'ready',
  );
  t.equal(rowOf(mended, 'refuser')?.generation, 2, 'started once more, by itself');
  t.equal((await cli(home, 'status')).code, STATUS_EXIT.ready);
});
