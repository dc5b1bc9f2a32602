import fc from 'fast-check';
import t from 'tap';
import { PROFILE_STATES } from '../../../src/core/lifecycle.js';
import type { GatewayPlace } from '../../../src/core/moves.js';
import {
  judgeMove,
  type MoveVerdict,
  planMultiplex,
} from '../../../supervisor/multiplex/plan-multiplex.js';

const place = fc.constantFrom<GatewayPlace>('own', 'served');
const places = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), place);

t.test('after all moves everybody is where the configuration wants them', async (t) => {
  fc.assert(
    fc.property(places, places, (wantedBy, presentBy) => {
      const wanted = new Map(Object.entries(wantedBy));
      const present = new Map(Object.entries(presentBy));
      const after = new Map(present);
      for (const { profile, to } of planMultiplex(wanted, present)) {
        if (!present.has(profile) || after.get(profile) === to) return false;
        after.set(profile, to);
      }
      return [...after].every(([name, where]) => where === (wanted.get(name) ?? present.get(name)));
    }),
  );
  t.pass('and nobody is moved twice, or without need');
});

t.test('who leaves the shared process goes before anybody enters it, by name', async (t) => {
  const present = new Map<string, GatewayPlace>([
    ['b', 'own'],
    ['a', 'own'],
    ['d', 'served'],
    ['c', 'served'],
    ['e', 'served'],
  ]);
  const wanted = new Map<string, GatewayPlace>([
    ['a', 'served'],
    ['b', 'served'],
    ['c', 'own'],
    ['d', 'own'],
    ['e', 'served'],
  ]);
  t.strictSame(planMultiplex(wanted, present), [
    { profile: 'c', to: 'own' },
    { profile: 'd', to: 'own' },
    { profile: 'a', to: 'served' },
    { profile: 'b', to: 'served' },
  ]);
});

t.test('a move is judged by every state that it may be found in', async (t) => {
  const expected: Record<(typeof PROFILE_STATES)[number], readonly [MoveVerdict, MoveVerdict]> = {
    // to `served`, to `own`
    stopped: ['given-up', 'given-up'],
    starting: ['under-way', 'under-way'],
    ready: ['failed', 'arrived'],
    degraded: ['arrived', 'arrived'],
    draining: ['under-way', 'under-way'],
    backoff: ['failed', 'failed'],
    parked: ['failed', 'failed'],
    served: ['arrived', 'failed'],
  };
  for (const state of PROFILE_STATES) {
    t.strictSame(
      [
        judgeMove({ profile: 'a', to: 'served' }, state),
        judgeMove({ profile: 'a', to: 'own' }, state),
      ],
      expected[state],
      state,
    );
  }
});
