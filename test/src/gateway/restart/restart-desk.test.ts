import t from 'tap';
import { RestartDesk } from '../../../../src/gateway/restart/restart-desk.js';
import { until } from '../../../support/gateway-within.js';

const LONG_MS = 600_000;

interface Wanted {
  readonly limitMs?: number;
  readonly answersMs?: number;
  readonly workDone?: (hurry: AbortSignal) => Promise<unknown>;
}

function desk({ limitMs = LONG_MS, answersMs = LONG_MS, workDone = async () => {} }: Wanted = {}) {
  const told: string[] = [];
  const restart = new RestartDesk({
    refuse: () => told.push('refuse'),
    begin: (detail) => told.push(`begin: ${detail}`),
    workDone,
    limitMs,
    answersMs,
  });
  return { restart, told };
}

const begun = (told: readonly string[]) => until(() => told.length === 2, 'the beginning');

t.test('a restart begins when whoever asked has its answer, and not before', async (t) => {
  const { restart, told } = desk();
  const ticket = restart.ask('/restart in local');
  t.equal(ticket.kind, 'begun');
  t.strictSame(told, ['refuse']);
  ticket.answered();
  ticket.answered();
  await begun(told);
  t.strictSame(told, ['refuse', 'begin: /restart in local']);
});

t.test('several who ask are one restart, which waits for all their answers', async (t) => {
  const { restart, told } = desk();
  const first = restart.ask('one');
  const second = restart.ask('two');
  t.equal(second.kind, 'under-way');
  second.answered();
  t.strictSame(told, ['refuse']);
  first.answered();
  await begun(told);
  const late = restart.ask('three');
  t.equal(late.kind, 'under-way');
  late.answered();
  t.strictSame(told, ['refuse', 'begin: one']);
});

t.test('an answer that never leaves does not hold the restart for ever', async (t) => {
  const { restart, told } = desk({ answersMs: 5 });
  const ticket = restart.ask('one');
  await begun(told);
  ticket.answered();
  t.strictSame(told, ['refuse', 'begin: one']);
});

t.test('work that runs is waited for, after the answers, and not without end', async (t) => {
  let finish = () => {};
  const running = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const patient = desk({ workDone: () => running });
  patient.restart.ask('one').answered();
  await new Promise(setImmediate);
  t.strictSame(patient.told, ['refuse']);
  finish();
  await begun(patient.told);

  const endless = desk({ limitMs: 5, answersMs: 1, workDone: () => new Promise(() => {}) });
  endless.restart.ask('two').answered();
  await begun(endless.told);
});

t.test('without time for work nothing is waited for but the answers', async (t) => {
  const { restart, told } = desk({ limitMs: 0, workDone: () => new Promise(() => {}) });
  restart.ask('one').answered();
  t.strictSame(told, ['refuse', 'begin: one']);
});

t.test('a stop that comes in between decides: nobody restarts it any more', async (t) => {
  const hurried: AbortSignal[] = [];
  const workDone = (hurry: AbortSignal) => {
    hurried.push(hurry);
    return new Promise((resolve) => hurry.addEventListener('abort', resolve));
  };
  const { restart, told } = desk({ workDone });
  restart.ask('one').answered();
  restart.stop();
  await new Promise(setImmediate);
  t.ok(hurried[0]?.aborted);
  t.strictSame(told, ['refuse']);
});
