import { once } from 'node:events';
import t, { type Test } from 'tap';
import { listenForNotify } from '../../support/notify-listener.js';
import { startCli } from '../../support/run-cli.js';
import { makeHome, profileFile, writeHomeFile } from '../../support/supervised-home.js';
import { until } from '../../support/until.js';

/** a tenth of a second: fed every 50 ms */
const WATCHDOG = { WATCHDOG_USEC: '100000' };

function start(t: Test, args: readonly string[], env: Record<string, string>) {
  const child = startCli(args, { env });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout?.resume();
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { child, exited, stderr: () => stderr };
}

const firstLines = (messages: readonly string[]) =>
  messages.map((message) => message.split('\n')[0] ?? '');

t.test('a supervisor under systemd tells its whole life, in order', async (t) => {
  const manager = listenForNotify(t);
  const home = makeHome(t, {
    ...profileFile('one', {
      command: [
        '/bin/sh',
        '-c',
        'echo "socket=$NOTIFY_SOCKET usec=$WATCHDOG_USEC"; exec sleep 471',
      ],
      ready: { log: 'socket= usec=' },
      drain_seconds: 5,
    }),
    ...profileFile('bad', { nonsense: true }),
  });
  const env = { NOTIFY_SOCKET: manager.path, ...WATCHDOG };
  const { child, exited, stderr } = start(t, ['--home', home, 'up'], env);

  const ready = await manager.untilTold('READY=1');
  t.match(ready, `\nMAINPID=${child.pid}\n`);
  t.match(ready, 'STATUS=1 of 2 profiles ready; bad parked: config (');
  const before = firstLines(manager.messages);
  t.match(before.slice(0, before.indexOf('READY=1')), [/^EXTEND_TIMEOUT_USEC=30000000$/]);
  await until(
    'it is fed',
    () => manager.messages.filter((one) => one === 'WATCHDOG=1\n').length > 3,
  );

  writeHomeFile(home, 'profiles/one/config.yaml', 'drain_second: 5');
  child.kill('SIGHUP');
  t.match(await manager.untilTold('RELOADING=1'), /\nMONOTONIC_USEC=\d+\n/);
  await until('it is ready again', () => {
    const lines = firstLines(manager.messages);
    return lines.lastIndexOf('READY=1') > lines.indexOf('RELOADING=1');
  });

  child.kill('SIGTERM');
  await exited;
  const lines = firstLines(manager.messages);
  const stopping = lines.indexOf('STOPPING=1');
  t.equal(lines.filter((line) => line === 'STOPPING=1').length, 1);
  t.equal(lines.filter((line) => line === 'RELOADING=1').length, 1, 'also of a bad file');
  t.match(lines.slice(stopping + 1), [/^EXTEND_TIMEOUT_USEC=\d+$/], 'the drain asks for time');
  t.equal(lines.slice(stopping).includes('READY=1'), false);
  t.match(stderr(), '"msg":"parked"', 'what a manager keeps of our stderr holds the events');
});

t.test('a gateway that is a unit of its own does so too', async (t) => {
  const manager = listenForNotify(t);
  const home = makeHome(t, profileFile('one', {}));
  const env = { NOTIFY_SOCKET: manager.path, ...WATCHDOG };
  const { child, exited } = start(t, ['--home', home, 'gateway', 'run', '-p', 'one'], env);
  t.match(await manager.untilTold('READY=1'), `MAINPID=${child.pid}\nSTATUS=one ready`);
  t.ok(manager.messages.some((message) => message.startsWith('STATUS=one starting: ')));
  await manager.untilTold('WATCHDOG=1');
  child.kill('SIGTERM');
  t.strictSame(await exited, [0, null]);
  t.match(await manager.untilTold('STOPPING=1'), 'STATUS=one drains for a stop');
});
