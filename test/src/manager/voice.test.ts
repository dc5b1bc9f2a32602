import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  ALWAYS_ON_TIME,
  feedWatchdog,
  keepExtending,
  openVoice,
  watchdogMsOf,
  whyWithheld,
} from '../../../src/manager/index.js';
import { listenForNotify } from '../../support/notify-listener.js';
import { until } from '../../support/until.js';

const PID = 4711;

function voiceAt(path: string, env: Record<string, string> = {}) {
  const troubles: string[] = [];
  const trouble = (detail: string) => void troubles.push(detail);
  const voice = openVoice({ env: { NOTIFY_SOCKET: path, ...env }, pid: PID, trouble });
  return { voice, troubles };
}

t.test('systemd hears a whole life in its order, and one stop only', async (t) => {
  const manager = listenForNotify(t);
  const { voice, troubles } = voiceAt(manager.path);
  t.equal(voice.kind, 'systemd');
  voice.tell({ code: 'status', status: 'starting' });
  voice.tell({ code: 'ready', status: '1 of 1' });
  voice.tell({ code: 'reloading' });
  voice.tell({ code: 'ready', status: '1 of 1' });
  voice.tell({ code: 'stopping', status: 'bye' });
  voice.tell({ code: 'stopping', status: 'bye again' });
  voice.tell({ code: 'ready', status: 'never' });
  voice.tell({ code: 'extend', byMs: 1000 });
  await manager.untilTold('EXTEND_TIMEOUT_USEC=1000000');
  voice.close();
  t.strictSame(
    manager.messages.map((message) => message.split('\n')[0]),
    [
      'STATUS=starting',
      'READY=1',
      'RELOADING=1',
      'READY=1',
      'STOPPING=1',
      'EXTEND_TIMEOUT_USEC=1000000',
    ],
  );
  const reloading = manager.messages.find((message) => message.startsWith('RELOADING')) ?? '';
  const usec = Number(/MONOTONIC_USEC=(\d+)/.exec(reloading)?.[1]);
  const uptimeUsec = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1e6;
  t.ok(usec > 0 && usec <= uptimeUsec + 1e6, "the kernel's own monotonic clock");
  t.strictSame(troubles, []);
});

t.test('a manager that vanished is told of once and ends nothing', async (t) => {
  const manager = listenForNotify(t);
  const { voice, troubles } = voiceAt(manager.path);
  voice.tell({ code: 'ready', status: 'x' });
  await manager.untilTold('READY=1');
  manager.close();
  for (let time = 0; time < 3; time++) voice.tell({ code: 'alive' });
  voice.close();
  voice.tell({ code: 'alive' });
  t.equal(troubles.length, 1);
  t.match(troubles[0], `cannot tell the service manager at ${manager.path}: E`);
});

t.test('a socket that this host cannot address is told, not used', async (t) => {
  const { voice, troubles } = voiceAt('@/org/example/notify');
  voice.tell({ code: 'ready', status: 'x' });
  voice.close();
  t.strictSame(troubles.length, 1);
  t.match(troubles[0], 'abstract');
});

t.test('more news than the manager takes at once arrives late, the newest surely', async (t) => {
  const manager = listenForNotify(t);
  const { voice, troubles } = voiceAt(manager.path);
  // the kernel's queue holds some ten datagrams, and this loop reads none before it is done
  for (let n = 0; n < 60; n++) voice.tell({ code: 'status', status: `news ${n}` });
  await manager.untilTold('STATUS=news 59');
  voice.close();
  t.strictSame(troubles, []);
});

t.test('s6 hears one newline and the end of its descriptor', async (t) => {
  const directory = mkdtempSync('/tmp/gw-fd-');
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'notification');
  const fd = openSync(path, 'w');
  const troubles: string[] = [];
  const voice = openVoice({
    env: { GATEWARDEN_NOTIFY_FD: String(fd) },
    pid: PID,
    trouble: (detail) => void troubles.push(detail),
  });
  t.equal(voice.kind, 's6');
  t.equal(voice.watchdogMs, undefined);
  voice.tell({ code: 'status', status: 'starting' });
  t.equal(readFileSync(path, 'utf8'), '', 'nothing but the edge');
  voice.tell({ code: 'ready', status: 'x' });
  voice.tell({ code: 'ready', status: 'x' });
  t.equal(readFileSync(path, 'utf8'), '\n');
  t.throws(() => closeSync(fd), { code: 'EBADF' }, 'it is closed');
  t.strictSame(troubles, []);
});

t.test('a descriptor that is none is told, and what is no number is not s6', async (t) => {
  const troubles: string[] = [];
  const trouble = (detail: string) => void troubles.push(detail);
  const voice = openVoice({ env: { GATEWARDEN_NOTIFY_FD: '999' }, pid: PID, trouble });
  voice.tell({ code: 'ready', status: 'x' });
  t.match(troubles, [/cannot tell s6 on descriptor 999: EBADF/]);
  for (const text of ['', '1', '-3', '3x', '99999']) {
    t.equal(
      openVoice({ env: { GATEWARDEN_NOTIFY_FD: text }, pid: PID, trouble }).kind,
      'none',
      text,
    );
  }
  t.equal(openVoice({ env: {}, pid: PID, trouble }).kind, 'none');
});

t.test('only a watchdog that is meant for us is ours', async (t) => {
  t.equal(watchdogMsOf({ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '4711' }, PID), 20_000);
  t.equal(watchdogMsOf({ WATCHDOG_USEC: '20000000' }, PID), 20_000);
  t.equal(watchdogMsOf({ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '12' }, PID), undefined);
  for (const usec of ['', '0', '-1', 'x', 'Infinity']) {
    t.equal(watchdogMsOf({ WATCHDOG_USEC: usec }, PID), undefined, usec);
  }
});

t.test('the watchdog is fed while all are on time, and not while one is late', async (t) => {
  const manager = listenForNotify(t);
  const { voice } = voiceAt(manager.path, { WATCHDOG_USEC: '20000' });
  const late: string[] = [];
  const told: (string | undefined)[] = [];
  let looks = 0;
  const lateGateways = () => {
    looks++;
    return late;
  };
  const stop = feedWatchdog(voice, { loopOnTime: () => true, lateGateways }, (because) => {
    told.push(because);
  });
  t.teardown(() => {
    stop();
    voice.close();
  });
  const fed = () => manager.messages.filter((message) => message === 'WATCHDOG=1\n').length;
  await until('it is fed again and again', () => fed() >= 3);
  late.push('coder');
  await until('it is withheld', () => told.length === 1);
  const looksBefore = looks;
  await until('it looked again, more than once', () => looks >= looksBefore + 3);
  const before = fed();
  t.ok(before < looks - 2, 'and did not feed it');
  late.pop();
  await until('it is fed when all are on time again', () => fed() > before);
  t.strictSame(told, ['coder late', undefined]);
});

t.test('why it is withheld has words', async (t) => {
  t.equal(whyWithheld(ALWAYS_ON_TIME), undefined);
  t.equal(whyWithheld({ ...ALWAYS_ON_TIME, loopOnTime: () => false }), 'its own loop is late');
  t.equal(whyWithheld({ ...ALWAYS_ON_TIME, lateGateways: () => ['a', 'b'] }), 'a, b late');
});

t.test("a long step moves the manager's limit along until its own", async (t) => {
  const manager = listenForNotify(t);
  const { voice } = voiceAt(manager.path);
  t.teardown(() => voice.close());
  keepExtending(voice, 60, { everyMs: 10, byMs: 25 });
  const asked = () =>
    manager.messages.map((message) => Number(/^EXTEND_TIMEOUT_USEC=(\d+)/.exec(message)?.[1]));
  await until('it asks more than once', () => asked().length >= 3);
  t.ok(asked().every((usec) => usec > 0 && usec <= 25_000));
  let last = -1;
  await until(
    'it stops by itself',
    () => {
      const isStill = asked().length === last;
      last = asked().length;
      return isStill;
    },
    { everyMs: 60 },
  );
});
