/*
 * A gateway or the supervisor starts me as a worker thread before it does anything else. I share
 * its counters; its loop may stop at any moment and never run again, so I ask it for nothing.
 * I promise: beats, evidence about a loop that stands still, and the end of a process that does
 * not come back. I end with the process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs } from '../../core/monotonic.js';
import type { FromWatch } from '../../core/watch.js';
import { SharedCounters } from '../shared-counters.js';
import type { ThreadData, ToThread } from '../thread-messages.js';
import { TurnSlots } from '../turn-slots.js';
import { hearSignals } from './hear-signals.js';
import { openPipe, writeLine } from './pipe.js';
import { readPlace } from './read-place.js';
import { reapTurn } from './reap-turn.js';
import { readStolenTotals, StolenTime } from './stolen-time.js';
import { WatchThread } from './watch-thread.js';
import { WatchedTurns } from './watched-turns.js';

const STDERR = 2;
const { counters, slots, order, pipeFd } = workerData as ThreadData;

const turns = new WatchedTurns(new TurnSlots(slots));
const pipe = pipeFd === undefined ? undefined : openPipe(pipeFd, (message) => thread.take(message));
const thread = new WatchThread({
  counters: new SharedCounters(counters),
  turns,
  stolen: new StolenTime(() => readStolenTotals(process.pid)),
  nowMs: monotonicMs,
  readPlace,
  tell,
  reap: reapTurn,
  say: (line) => writeLine(STDERR, line),
  end: () => process.kill(process.pid, 'SIGKILL'),
  order,
});

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'turn':
      turns.take(message.message);
      return;
    case 'watch':
      thread.take(message.message);
      return;
    case 'gave-up':
      thread.gaveUp(message.guest);
      return;
    case 'ending-on':
      endOn(message);
      return;
    default:
      message satisfies never;
  }
});
thread.start();

function endOn({ signals, budget }: Extract<ToThread, { kind: 'ending-on' }>): void {
  const deaf = hearSignals(signals, () =>
    thread.take({ code: 'ending', kind: 'stop-timeout', budget }),
  );
  if (deaf === undefined) return;
  const instead = 'a loop that stands still at a stop is ended by its strikes alone';
  writeLine(STDERR, `gatewarden: watchdog: it hears no signals (${deaf}): ${instead}`);
}

/** With a supervisor it is told over the pipe; without one the loop hears of it when it is back. */
function tell(message: FromWatch): void {
  if (pipe === undefined) parentPort?.postMessage(message);
  else pipe.tell(message);
}
