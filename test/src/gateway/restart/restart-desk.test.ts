import t from 'tap';
import { RestartDesk } from '../../../../src/gateway/restart/restart-desk.js';
import { until } from '../../../support/gateway-within.js';

function desk(answersMs = 600_000) {
  const told: string[] = [];
  const restart = new RestartDesk({
    refuse: () => told.push('refuse'),
    begin: (detail) => told.push(`begin: ${detail}`),
    answersMs,
  });
  return { restart, told };
}

t.test('a restart begins when whoever asked has its answer, and not before', async (t) => {
  const { restart, told } = desk();
  const ticket = restart.ask('/restart in local');
  t.equal(ticket.kind, 'begun');
  t.strictSame(told, ['refuse']);
  ticket.answered();
  ticket.answered();
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
  const late = restart.ask('three');
  t.equal(late.kind, 'under-way');
  late.answered();
  t.strictSame(told, ['refuse', 'begin: one']);
});

t.test('an answer that never leaves does not hold the restart for ever', async (t) => {
  const { restart, told } = desk(5);
  const ticket = restart.ask('one');
  await until(() => told.includes('begin: one'), 'the beginning');
  ticket.answered();
  t.strictSame(told, ['refuse', 'begin: one']);
});
