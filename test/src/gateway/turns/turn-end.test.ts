import t from 'tap';
import { TurnEnd, type TurnEnder } from '../../../../src/gateway/turns/turn-end.js';

/** What both of the loop's claims say in every order, with and without a thread that was first. */
const CASES: readonly {
  readonly thread: boolean;
  readonly claims: readonly Exclude<TurnEnder, 'thread'>[];
  readonly won: readonly boolean[];
  readonly winner: TurnEnder;
}[] = [
  { thread: false, claims: ['worker', 'loop'], won: [true, false], winner: 'worker' },
  { thread: false, claims: ['loop', 'worker'], won: [true, false], winner: 'loop' },
  { thread: false, claims: ['worker', 'worker'], won: [true, false], winner: 'worker' },
  { thread: true, claims: ['worker', 'loop'], won: [false, false], winner: 'thread' },
  { thread: true, claims: ['loop', 'worker'], won: [false, false], winner: 'thread' },
];
for (const { thread, claims, won, winner } of CASES) {
  const first = thread ? 'the thread, then ' : '';
  t.test(`of ${first}${claims.join(', ')}, ${winner} alone ends the turn`, async (t) => {
    const end = new TurnEnd({ claim: () => !thread });
    t.equal(end.winner, undefined);
    t.strictSame(
      claims.map((by) => end.claim(by)),
      won,
    );
    t.equal(end.winner, winner);
  });
}

t.test('a thread that comes after the loop has no say any more', async (t) => {
  let asked = 0;
  const end = new TurnEnd({ claim: () => asked++ === 0 });
  t.equal(end.claim('loop'), true);
  t.equal(end.claim('worker'), false);
  t.equal(end.winner, 'loop');
  t.equal(asked, 1);
});
