import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { profileLayout } from '../../../src/config/paths.js';
import { packageFile } from '../../../src/core/package-root.js';
import { chatWith } from '../../support/supervised-chat.js';
import {
  makeHome,
  profileFile,
  type Running,
  supervise,
  untilState,
  writeHomeFile,
} from '../../support/supervised-home.js';
import { until } from '../../support/until.js';
import { readEvidence } from '../../support/watched-loop.js';

const WORKER = packageFile('dist', 'test', 'fixtures', 'gateway-that-hangs', 'main.js');
const PATIENCE = { deadlineMs: 90_000 };

/** Its turns say one word and then nothing any more. */
function silentFor(seconds: number) {
  return {
    agent: { driver: 'command', command: ['sh', '-c', 'printf begun; exec sleep 600'] },
    turns: { inactivity_seconds: seconds, warning_seconds: 0, note_seconds: 0 },
  };
}

async function beginTurn(t: Tap.Test, running: Running, name: string): Promise<void> {
  const client = await chatWith(t, running, name, PATIENCE);
  client.send({ code: 'message', text: 'work' });
  await client.line('delta');
}

declare namespace Tap {
  interface Test {
    teardown(action: () => unknown): unknown;
  }
}

function evidenceOf(home: string, name: string) {
  const { evidenceDir } = profileLayout(home, name);
  return existsSync(evidenceDir) ? readEvidence(evidenceDir) : [];
}

const toldOf = ({ events }: Running) =>
  events.flatMap(({ event }) =>
    event.code === 'evidence' && event.kind === 'inactive-turn'
      ? [{ profile: event.profile, where: event.where, path: event.path }]
      : [],
  );

t.test('a silent turn of a served profile is its own news, and in its own folder', async (t) => {
  const home = makeHome(t, { 'config.yaml': '{ "gateway": { "multiplex_profiles": true } }' });
  const hangNow = join(home, 'hang-now');
  const profiles = {
    ...profileFile('default', {
      env: { HANGS_IN: 'tool', HANGS_WITH: hangNow },
      drain_seconds: 0,
      watchdog: { check_seconds: 0.1, warn_seconds: 600, strike_seconds: 600, strikes: 3 },
    }),
    ...profileFile('coder', silentFor(0.5)),
    ...profileFile('writer', silentFor(3)),
  };
  for (const [name, text] of Object.entries(profiles)) writeHomeFile(home, name, text);
  const running = await supervise(t, home, { worker: WORKER });
  await untilState(running, 'coder', 'served');
  await untilState(running, 'writer', 'served');

  await beginTurn(t, running, 'coder');
  await until('the loop has given it up', () => toldOf(running).length === 1, PATIENCE);
  t.match(toldOf(running), [{ profile: 'coder' }]);
  t.match(evidenceOf(home, 'coder'), [
    { kind: 'inactive-turn', profile: 'coder', generation: 1, turns: [{ profile: 'coder' }] },
  ]);

  await beginTurn(t, running, 'writer');
  writeFileSync(hangNow, '');
  await until('the thread has given it up', () => toldOf(running).length === 2, PATIENCE);
  const [, told] = toldOf(running);
  const { evidenceDir } = profileLayout(home, 'writer');
  t.match(told, { profile: 'writer', where: /^blocked in aToolHandlerThatHangs/ });
  t.match(told?.path, new RegExp(`^${evidenceDir}/`));
  const written = evidenceOf(home, 'writer');
  t.match(written, [{ kind: 'inactive-turn', profile: 'writer', turns: [{ profile: 'writer' }] }]);
  t.equal(written[0]?.turns.length, 1, 'the turns of others are none of its business');
  t.strictSame(evidenceOf(home, 'default'), [], 'whose turn it was not has no evidence of it');
});
