import t from 'tap';
import { isOverdue, type OverdueFacts } from '../../../supervisor/watch/judge-overdue.js';

const POLICY = {
  watch: { strikeMs: 30_000, strikes: 3, warnOnly: false },
  ending: { graceMs: 5000, giveUpMs: 2000, lookEveryMs: 50 },
};

function overdueAfter(facts: Partial<OverdueFacts>, watch: { readonly warnOnly?: boolean } = {}) {
  const now = 1_000_000;
  const policy = { ...POLICY, watch: { ...POLICY.watch, ...watch } };
  return isOverdue({ now, lateSince: undefined, killedAt: undefined, ...facts }, policy);
}

t.test('a gateway that its own watchdog deals with in time is not overdue', async (t) => {
  t.notOk(overdueAfter({}), 'well');
  t.notOk(overdueAfter({ lateSince: 1_000_000 - 90_000 }), 'at its last strike');
  t.notOk(overdueAfter({ lateSince: 1_000_000 - 380_000 }), 'on a host that starves it');
  t.notOk(overdueAfter({ killedAt: 1_000_000 - 12_000 }), 'while its tree is ended');
});

t.test('one that outlives the guards which should have ended it is', async (t) => {
  t.ok(overdueAfter({ lateSince: 1_000_000 - 391_000 }));
  t.ok(overdueAfter({ killedAt: 1_000_000 - 43_000 }));
});

t.test('where nothing is to be ended, a late loop is nobody’s failure', async (t) => {
  t.notOk(overdueAfter({ lateSince: 0 }, { warnOnly: true }));
  t.ok(overdueAfter({ killedAt: 0 }, { warnOnly: true }), 'but a kill that did not work is');
});
