import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { EXIT, EXIT_CLASSES } from '../../src/core/exit-codes.js';
import { createS6Manager } from '../../units/s6/ask-s6.js';
import { FINISH_KILLED, FINISH_PERMANENT } from '../../units/s6/render.js';
import { runProgram } from '../support/run-program.js';
import { putSlots, Slot, startSvscan, withS6 } from '../support/s6.js';
import { makeHome, profileFile, writeHomeFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { untilNothingIsLeft, untilStatus } from '../support/up.js';

const STOP_LIMIT_MS = 30_000;

async function startGateway(t: Test, scan: string): Promise<{ slot: Slot; home: string }> {
  const home = makeHome(t, profileFile('bot', {}));
  await putSlots(scan, home, '--profile', 'bot');
  const slot = await onlySlot(scan);
  t.teardown(() => removeSlot(slot, scan));
  await slot.untilReady();
  return { slot, home };
}

async function onlySlot(scan: string): Promise<Slot> {
  const { stdout } = await runProgram(['ls', scan], { env: { PATH: process.env['PATH'] ?? '' } });
  const [name = ''] = stdout.trim().split('\n');
  const slot = new Slot(join(scan, name));
  await until('s6-supervise has it', async () => (await slot.state()).up !== '');
  return slot;
}

async function removeSlot(slot: Slot, scan: string): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '' };
  await runProgram(['s6-svc', '-wD', '-d', slot.path], { env });
  await runProgram(['rm', '-r', slot.path], { env });
  await runProgram(['s6-svscanctl', '-an', scan], { env });
}

const kill = (state: { readonly pid: string }, signal: NodeJS.Signals) =>
  process.kill(Number(state.pid), signal);

t.test('slots under the real s6', withS6(), async (t) => {
  const scan = await startSvscan(t);

  await t.test('the supervisor’s is ready when every profile is, not before', async (t) => {
    const gate = join(makeHome(t, {}), 'gate');
    const command = [
      '/bin/sh',
      '-c',
      `until [ -e ${gate} ]; do sleep 0.1; done; echo up; exec sleep 999`,
    ];
    const home = makeHome(t, profileFile('slow', { command, ready: { log: 'up' } }));
    await putSlots(scan, home);
    const slot = await onlySlot(scan);
    t.teardown(() => removeSlot(slot, scan));
    await untilStatus(home, 'it starts', ({ profiles }) => profiles[0]?.state === 'starting');
    t.match(await slot.state(), { up: 'true', ready: 'false' });
    writeFileSync(gate, '');
    const state = await slot.untilReady();

    kill(state, 'SIGKILL');
    await slot.untilReady(state.pid);
    const log = join(home, 'logs', '_s6', basename(slot.path), 'current');
    t.match(readFileSync(log, 'utf8'), /supervises/, 'its output is kept, with a limit');
  });

  await t.test('a stop kills what does not stop by the deadline, and its tree', async (t) => {
    // deaf to SIGTERM, so the gateway still waits for it when s6 has no more patience
    const command = ['/bin/sh', '-c', 'trap "" TERM; setsid sleep 998 & exec sleep 999'];
    const home = makeHome(t, profileFile('tree', { command }));
    await putSlots(scan, home);
    const slot = await onlySlot(scan);
    t.teardown(() => removeSlot(slot, scan));
    writeFileSync(join(slot.path, 'timeout-kill'), '500\n');
    await slot.untilReady();
    await slot.send('-d');
    await slot.untilState('it is down', { up: 'false', signal: 'SIGKILL' });
    await untilNothingIsLeft(home);
  });

  await t.test('a gateway that is refused (78) stays down until it is mended', async (t) => {
    const { slot, home } = await startGateway(t, scan);
    const agent = { driver: 'openai', model: 'm', api_key: '${NOT_THERE}' };
    for (const [name, text] of Object.entries(profileFile('bot', { agent }))) {
      writeHomeFile(home, name, text);
    }
    await slot.send('-wD', '-d');
    await slot.send('-u');
    // s6 wants it up no more: it is not between two tries
    await slot.untilState('it is down', {
      up: 'false',
      wantedup: 'false',
      exitcode: String(EXIT.config),
    });
    writeHomeFile(home, 'profiles/bot/config.yaml', '{}');
    await slot.send('-u');
    await slot.untilReady();
  });

  await t.test('a gateway that ends with 0 stays down', async (t) => {
    const { slot } = await startGateway(t, scan);
    kill(await slot.state(), 'SIGTERM');
    await slot.untilState('it is down', { up: 'false', wantedup: 'false', exitcode: '0' });
  });

  await t.test('a restart by the verbs brings it back, although it ends with 0', async (t) => {
    const { slot } = await startGateway(t, scan);
    const before = await slot.state();
    await createS6Manager(scan).order('restart', basename(slot.path), STOP_LIMIT_MS);
    await slot.untilReady(before.pid);
  });

  await t.test('a gateway is back after a planned restart and after kill -9', async (t) => {
    const { slot } = await startGateway(t, scan);
    const first = await slot.state();
    kill(first, 'SIGUSR2');
    const second = await slot.untilReady(first.pid);
    kill(second, 'SIGKILL');
    await slot.untilReady(second.pid);
  });

  await t.test('finish answers by the table, and takes no signal for a code', async (t) => {
    const { slot } = await startGateway(t, scan);
    const finish = async (...args: string[]) =>
      (await runProgram([join(slot.path, 'finish'), ...args], { env: {} })).code;
    const permanent = Object.values(EXIT_CLASSES)
      .filter((row) => row.s6Finish === 'permanent')
      .map((row) => row.code as number);
    for (const code of [0, 1, 64, 75, 78, 137, ...Object.values(EXIT)]) {
      const wanted = permanent.includes(code) ? FINISH_PERMANENT : 0;
      t.equal(await finish(String(code), '0', 'bot'), wanted, `exit ${code}`);
    }
    for (const signal of [1, 9, 15, 64]) {
      t.equal(await finish(String(FINISH_KILLED), String(signal), 'bot'), 0, `signal ${signal}`);
    }
  });
});
