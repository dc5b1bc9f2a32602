import t from 'tap';
import type { TurnStatus } from '../../../../src/gateway/sessions/records.js';
import {
  judgeMark,
  type MarkFacts,
  type MarkStep,
} from '../../../../src/gateway/turns/judge-mark.js';

type Cut = MarkFacts['cutBy'];

/** How a turn may end, and what that means for a mark: from before, of this drain, or none. */
const ENDS: readonly (readonly [TurnStatus, Cut, pending: MarkStep, draining: MarkStep])[] = [
  ['answered', undefined, 'clear-resume', 'clear-resume'],
  ['failed', undefined, 'uncount-resume', 'clear-resume'],
  ['interrupted', 'drain', 'keep', 'keep'],
  ['interrupted', 'stop', 'clear-resume', 'clear-resume'],
  ['interrupted', 'new', 'clear-resume', 'clear-resume'],
  ['interrupted', 'inactivity', 'clear-resume', 'clear-resume'],
  ['interrupted', 'caller-left', 'keep', 'clear-resume'],
];
for (const [status, cutBy, pending, draining] of ENDS) {
  t.test(`the mark of a session whose turn was ${status} (${cutBy ?? 'by itself'})`, async (t) => {
    const of = (isPending: boolean, isDraining: boolean) =>
      judgeMark({ isPending, isDraining, status, cutBy });
    t.equal(of(false, false), 'keep', 'there is none');
    t.equal(of(false, true), draining);
    t.equal(of(true, false), pending);
    t.equal(of(true, true), pending, 'a mark from before is the older one');
  });
}
