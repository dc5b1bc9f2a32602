import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import t from 'tap';
import { SCOPE_VARIABLE } from '../../../src/core/scope.js';
import { until } from '../../support/until.js';
import { startWatchedLoop } from '../../support/watched-loop.js';

/** Scaled down a hundred times; the thread itself must stay punctual on a loaded machine. */
const FAST = { sampleMs: 50, warnAfterMs: 200, strikeMs: 300, strikes: 3, beatMs: 200 };

// each waits, mostly, in a process of its own
t.jobs = 4;

t.test('a loop that is blocked for ever ends its process, and says where', async (t) => {
  const loop = startWatchedLoop(t, { act: 'block', policy: FAST });
  t.strictSame(await loop.exited, { code: null, signal: 'SIGKILL' });
  const [late, stall] = loop.evidence();
  t.equal(late?.kind, 'loop-late', 'the warning came first');
  t.equal(stall?.kind, 'stall');
  t.match(stall?.where, /^blocked in blocksForEver \(.*watched-loop\/main\.js:\d+:\d+\)$/);
  t.ok((stall?.lateMs ?? 0) >= FAST.strikeMs * FAST.strikes, `late by ${stall?.lateMs}`);
  t.ok((stall?.process['rssBytes'] ?? 0) > 0);
  t.match(stall?.host, { pressure: { cpu: /some/ }, cores: Number });
  t.ok((stall?.loopDelay.ticks ?? 0) > 0, 'with the delays of the loop while it ran');
  t.match(loop.output(), /watchdog: stall: blocked in blocksForEver/, 'one line on stderr');
});

t.test('a loop that waits in the kernel is ended too, and the kernel is blamed', async (t) => {
  // each look at it waits five seconds for the stack that it does not have
  const policy = { ...FAST, warnAfterMs: 600_000 };
  const loop = startWatchedLoop(t, { act: 'block-in-native', policy });
  t.strictSame(await loop.exited, { code: null, signal: 'SIGKILL' });
  t.match(loop.evidence().at(-1)?.where, /^blocked outside of JavaScript/);
});

t.test('warn-only keeps the evidence and lets the process live', async (t) => {
  const policy = { ...FAST, warnOnly: true };
  const loop = startWatchedLoop(t, { act: 'block', policy });
  await until('the stall is on record', () => loop.evidence().at(-1)?.kind === 'stall');
  t.equal(loop.child.exitCode, null);
  t.equal(loop.child.signalCode, null);
  readlinkSync(`/proc/${loop.child.pid}/exe`);
});

t.test('a loop that is blocked for 0.8 of the limit again and again lives', async (t) => {
  const ms = 0.8 * FAST.strikeMs * FAST.strikes;
  const loop = startWatchedLoop(t, { act: 'block-often', ms, times: 4, policy: FAST });
  t.strictSame(await loop.exited, { code: 0, signal: null }, loop.output());
  t.notOk(loop.evidence().some(({ kind }) => kind === 'stall'));
});

t.test('a process group that was stopped and continued is forgiven', async (t) => {
  const loop = startWatchedLoop(t, { act: 'wait', ms: 4000, policy: FAST });
  await loop.watched();
  await until('it beats', () => loop.messages().length > 1);
  process.kill(-(loop.child.pid ?? 0), 'SIGSTOP');
  const stoppedAt = performance.now();
  const limitMs = FAST.strikeMs * FAST.strikes;
  await until('twice the limit has passed', () => performance.now() - stoppedAt > 2 * limitMs);
  process.kill(-(loop.child.pid ?? 0), 'SIGCONT');
  t.strictSame(await loop.exited, { code: 0, signal: null }, loop.output());
  t.strictSame(loop.evidence(), []);
});

t.test('a process that hangs in its stop is ended when its time is up', async (t) => {
  const policy = { ...FAST, strikeMs: 600_000 };
  const loop = startWatchedLoop(t, { act: 'hang-in-stop', ms: 300, policy });
  t.strictSame(await loop.exited, { code: null, signal: 'SIGKILL' });
  const last = loop.evidence().at(-1);
  t.equal(last?.kind, 'stop-timeout');
  t.match(last?.where, /^blocked in blocksForEver/);
});

t.test('a stop in which the process itself was stopped gets its time afterwards', async (t) => {
  const ms = 1500;
  const policy = { ...FAST, strikeMs: 600_000 };
  const loop = startWatchedLoop(t, { act: 'stopped-in-stop', ms, policy });
  const { pid = 0 } = loop.child;
  await until('it is stopped', () => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
  const stoppedAt = performance.now();
  await until('twice its time has passed', () => performance.now() - stoppedAt > 2 * ms);
  process.kill(pid, 'SIGCONT');
  t.strictSame(await loop.exited, { code: 0, signal: null }, loop.output());
  t.notOk(loop.evidence().some(({ kind }) => kind === 'stop-timeout'));
});

t.test(
  'a process that waits for ever in its start is ended, and its loop is not blamed',
  async (t) => {
    const loop = startWatchedLoop(t, { act: 'never-start', ms: 300, policy: FAST });
    t.strictSame(await loop.exited, { code: null, signal: 'SIGKILL' });
    t.strictSame(
      loop.evidence().map(({ kind, where }) => ({ kind, where })),
      [{ kind: 'start-timeout', where: 'its loop was waiting for something to happen' }],
    );
  },
);

t.test('the thread ends what a silent turn started, and nothing that it should not', async (t) => {
  const turnId = (name: string) => `turn-${name}-${process.pid}`;
  const startTool = (scope: string) => {
    const env = { ...process.env, [SCOPE_VARIABLE]: `test:${process.pid}:${scope}` };
    const tool = spawn('sleep', ['1000'], { env, stdio: 'ignore', detached: true });
    t.teardown(() => tool.kill('SIGKILL'));
    return tool;
  };
  const kept = `${turnId('overdue')}.kept`;
  const tools = [`${turnId('overdue')}.a`, kept, `${turnId('busy')}.a`].map(startTool);
  const turns = [
    { turnId: turnId('overdue'), inactivityMs: 400, kept },
    { turnId: turnId('busy'), inactivityMs: 600_000, kept: 'nothing' },
  ];
  const policy = { ...FAST, strikeMs: 600_000 };
  const loop = startWatchedLoop(t, { act: 'block', policy, turns });
  await until('its tool is dead', () => tools[0]?.signalCode === 'SIGKILL');
  t.equal(tools[1]?.signalCode, null, 'what is meant to outlive the turn lives');
  t.equal(tools[2]?.signalCode, null, 'the tool of the other turn lives');
  const told = loop.evidence().find(({ kind }) => kind === 'inactive-turn');
  t.match(told?.turns, [{ turnId: turnId('overdue'), limitMs: 400 }, { turnId: turnId('busy') }]);
  t.equal(loop.child.signalCode, null, 'and the process itself lives');
});
