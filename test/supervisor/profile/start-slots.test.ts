import { setMaxListeners } from 'node:events';
import t from 'tap';
import { type StartSlot, StartSlots } from '../../../supervisor/profile/start-slots.js';

function slotsOf(limit: number): StartSlots {
  return new StartSlots({ limit: () => limit, jitterMs: () => 0, random: () => 0 });
}

/** nobody gives up in these tests */
const FOREVER = new AbortController().signal;
setMaxListeners(0, FOREVER);

t.test('never more than the limit hold a slot, and everybody gets one', async (t) => {
  const slots = slotsOf(2);
  let holding = 0;
  let most = 0;
  const start = () =>
    new Promise<void>((resolve) => {
      slots.acquire(FOREVER, (slot) => {
        holding++;
        most = Math.max(most, holding);
        setImmediate(() => {
          holding--;
          slot.release();
          resolve();
        });
      });
    });
  await Promise.all(Array.from({ length: 20 }, start));
  t.equal(most, 2);
});

t.test('a free slot is given at once', async (t) => {
  let given = false;
  slotsOf(1).acquire(FOREVER, () => {
    given = true;
  });
  t.ok(given);
});

t.test('who gives up while waiting is passed over', async (t) => {
  const slots = slotsOf(1);
  const order: string[] = [];
  let first: StartSlot | undefined;
  slots.acquire(FOREVER, (slot) => {
    first = slot;
  });
  const gone = new AbortController();
  slots.acquire(gone.signal, () => order.push('gone'));
  const last = new Promise<void>((resolve) => {
    slots.acquire(FOREVER, () => {
      order.push('last');
      resolve();
    });
  });
  gone.abort();
  first?.release();
  await last;
  t.strictSame(order, ['last']);
});

t.test('who gives up during the pause before its start does not keep the slot', async (t) => {
  const slots = slotsOf(1);
  let first: StartSlot | undefined;
  slots.acquire(FOREVER, (slot) => {
    first = slot;
  });
  const gone = new AbortController();
  slots.acquire(gone.signal, () => t.fail('it had given up'));
  first?.release();
  gone.abort();
  await new Promise<void>((resolve) => slots.acquire(FOREVER, () => resolve()));
});

t.test('giving a slot back twice frees only one', async (t) => {
  const slots = slotsOf(1);
  slots.acquire(FOREVER, (slot) => {
    slot.release();
    slot.release();
  });
  let given = 0;
  slots.acquire(FOREVER, () => given++);
  slots.acquire(FOREVER, () => given++);
  t.equal(given, 1);
});
