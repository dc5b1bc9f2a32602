import t from 'tap';
import { soakTurns } from '../../bench/turns.js';
import { PROCESS_LIMITS } from '../../src/gateway/processes/limits.js';

/** The soak of 10,000 is `npm run bench`; a leak per turn shows in these just as well. */
const TURNS = 200;

t.test('turns that start and end a process leave no descriptor and no scope behind', async (t) => {
  const { answered, before, after } = await soakTurns(TURNS);
  t.equal(answered, TURNS);
  t.equal(after.openScopes, 0);
  t.ok(after.tracked <= PROCESS_LIMITS.maxTracked, `${after.tracked} processes are known`);
  // a file that is being written at one of the two looks
  const slack = 3;
  t.ok(
    after.descriptors <= before.descriptors + slack,
    `descriptors ${before.descriptors} → ${after.descriptors}`,
  );
});
