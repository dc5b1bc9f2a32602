import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import t, { type Test } from 'tap';
import { homeHash, profileLayout } from '../../../../src/config/paths.js';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { generationScope, instancePrefix, instanceTag } from '../../../../src/core/scope.js';
import { LiveRecordKeeper } from '../../../../src/ownership/live-record.js';
import { identityOf, ownOwner, writeJsonFile } from '../../../../src/store/index.js';
import { evidenceName, writeEvidence } from '../../../../src/watchdog/thread/evidence-folder.js';
import { runCli, scratchHome } from '../../../support/run-cli.js';
import { until } from '../../../support/until.js';

async function aHome(t: Test) {
  const { env, home } = scratchHome(t);
  await runCli(['init', '--profile', 'default'], { env });
  const layout = profileLayout(home, 'default');
  mkdirSync(layout.stateDir, { recursive: true });
  const why = async () => (await runCli(['why', 'default'], { env })).stdout.replace(/\s+/g, ' ');
  return { env, home, layout, why };
}

const writeStall = (evidenceDir: string, pid: number) => {
  const at = new Date();
  const where = 'blocked in spin (/srv/tool.js:1:2)';
  const note = { kind: 'stall', at, pid, where, lateMs: 90_000, fatal: true };
  return writeEvidence(evidenceDir, evidenceName('stall', at, pid), JSON.stringify(note));
};

t.test('the end of a gateway that its own watchdog ended is told from its files', async (t) => {
  const { layout, why } = await aHome(t);
  const identity = { pid: 4_194_303, startTicks: 1, bootId: identityOf(process.pid)?.bootId };
  const heartbeatAt = Date.now();
  writeJsonFile(layout.ledger, {
    phase: 'running',
    identity,
    startedAt: heartbeatAt - 9000,
    heartbeatAt,
  });
  const path = writeStall(layout.evidenceDir, identity.pid);
  writeEvidence(layout.evidenceDir, evidenceName('stall', new Date(8.64e15 / 100), 7), '{"half');
  const told = await why();
  t.match(told, 'Its last run ended without a word: pid 4194303 vanished while running;');
  t.match(told, /newest evidence \(stall\) is .* old: pid 4194303 was blocked in spin/);
  t.match(told, `Evidence: ${path}`);
  t.match(told, 'To do: look at the stacks in the evidence');
  t.notMatch(told, 'No death of it is on record');
});

t.test('the tools of a gateway that serves alone are no leftovers, and it is named', async (t) => {
  const { env, home, layout, why } = await aHome(t);
  const keeper = new LiveRecordKeeper(layout.gatewayHint, {
    owner: ownOwner(home, 'default'),
    phase: 'serving',
    isMultiplexer: false,
    served: [],
    socket: undefined,
    beatEveryMs: 60_000,
  });
  t.teardown(() => keeper.close());
  const tool = async (instance: string) => {
    const tag = generationScope(instancePrefix(homeHash(home), instance), 'default', 1);
    const child = spawn('/bin/sleep', ['471'], { env: { GATEWARDEN_SCOPE: tag }, stdio: 'ignore' });
    t.teardown(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    return child.pid;
  };
  await tool(instanceTag(process.pid, identityOf(process.pid)?.startTicks));
  t.match(await why(), `A gateway serves it (pid ${process.pid}).`);
  t.notMatch(await why(), 'still run');
  const status = await runCli(['status'], { env });
  t.notMatch(status.stdout, 'still run');
  const left = await tool('4194303-1');
  // its environment is that of its parent until it runs its own program
  await until('what nobody owns is left', async () => {
    return (await why()).includes(`1 process of it still runs (pid ${left})`);
  });
});

t.test('the history of a name that nobody ever had is refused with those there are', async (t) => {
  const { env } = await aHome(t);
  t.equal((await runCli(['history', 'default'], { env })).code, CLI_EXIT.done);
  const refused = await runCli(['history', 'nosuch'], { env });
  t.equal(refused.code, CLI_EXIT.usage);
  t.match(refused.stderr, /no profile is named nosuch; known: default \(unknown-profile\)/);
});
