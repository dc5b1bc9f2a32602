import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { fixture } from '../support/fixture.js';
import { runAlone, untilReady } from '../support/lone-gateway.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { cli, rowOf, untilStatus, upIn } from '../support/up.js';

const TOKEN = '7654321:canary-of-an-account';

/** A profile that wants the account, by an `.env` of its own. */
function wantsAccount(name: string, config: object = {}): Record<string, string> {
  return {
    ...profileFile(name, { ...config, owns: { telegram: '${BOT_TOKEN}' } }),
    [`profiles/${name}/.env`]: `BOT_TOKEN=${TOKEN}\n`,
  };
}

t.test(
  'one account has one owner, of whatever kind and home, until that one is dead',
  { timeout: 240_000 },
  async (t) => {
    const first = makeHome(t, wantsAccount('sales'));
    const other = makeHome(t, wantsAccount('support'));
    const supervised = makeHome(t, {
      ...wantsAccount('bot', { command: [fixture('never-ready')] }),
      ...profileFile('one', {}),
    });
    const lockDir = join(first, 'locks');
    mkdirSync(lockDir);
    const owner = runAlone(t, { home: first, profile: 'sales', lockDir });
    const stranger = runAlone(t, { home: supervised, profile: 'one', lockDir });
    await untilReady(owner);
    await untilReady(stranger);

    const refused = runAlone(t, { home: other, profile: 'support', lockDir });
    t.strictSame(await refused.exited, { code: EXIT.config, signal: null });
    t.match(refused.output(), /support needs the telegram identity/);
    t.match(refused.output(), new RegExp(`pid ${owner.pid} .*sales.*${first}`));
    t.notMatch(refused.output(), TOKEN);

    const env = { GATEWARDEN_GATEWAY_LOCK_DIR: lockDir };
    await upIn(t, supervised, { env });
    const parked = await untilStatus(
      supervised,
      'both are parked',
      ({ profiles }) => profiles.length === 2 && profiles.every(({ state }) => state === 'parked'),
    );
    t.match(rowOf(parked, 'bot'), {
      pid: null,
      lastExit: { code: EXIT.config },
      parked: { reason: 'config', detail: new RegExp(`pid ${owner.pid} .*sales.*${first}`) },
    });

    // a start that its lock would refuse is refused before anything is spawned
    const start = await cli(supervised, 'start', 'one');
    t.equal(start.code, EXIT.config);
    t.match(start.stderr, new RegExp(`pid ${stranger.pid} .*gateway-already-running`));
    const still = await untilStatus(supervised, 'a status', () => true);
    t.equal(rowOf(still, 'one')?.generation, rowOf(parked, 'one')?.generation);

    owner.child.kill('SIGKILL');
    await owner.exited;
    t.equal((await cli(supervised, 'start', 'bot')).code, EXIT.done, 'freed by death alone');
    const late = runAlone(t, { home: other, profile: 'support', lockDir });
    t.strictSame(await late.exited, { code: EXIT.config, signal: null });
    t.match(late.output(), new RegExp(`bot.*${supervised}`), 'now the program has it');
  },
);

t.test('two profiles of one home with one account are told before anything runs', async (t) => {
  const home = makeHome(t, { ...wantsAccount('sales'), ...wantsAccount('support') });
  const { code, stdout, stderr } = await cli(home, 'config', 'check');
  t.equal(code, EXIT.config);
  t.match(stdout + stderr, /profiles\/support\/config\.yaml.*owns\.telegram/s);
  t.match(stdout + stderr, /an account of profile support alone.*the one that profile sales has/s);
  t.notMatch(stdout + stderr, TOKEN);
});
