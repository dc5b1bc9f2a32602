/*
 * The supervisor starts me with cluster.fork, as the user it runs as. Nothing else is true yet:
 * I am nobody until an `assign` message names a profile, and my environment says nothing.
 * Before anything else I start the thread that watches my loop, so that whatever the rest does
 * while it is loaded is seen; it speaks to the supervisor over a pipe of its own.
 * I promise: hello, then phases and `ready`, or a farewell and an exit code of the contract.
 * I leave by a drain (message, SIGTERM, SIGUSR2, or the loss of the supervisor); then it reaps me.
 */
import { WATCH_PIPE_ARGUMENT, WATCH_PIPE_FD } from '../core/watch.js';
import { NOBODY_YET, startLoopWatchdog } from '../watchdog/loop-watchdog.js';

const hasPipe = process.argv.includes(WATCH_PIPE_ARGUMENT);
const watchdog = hasPipe
  ? startLoopWatchdog({ order: NOBODY_YET, pipeFd: WATCH_PIPE_FD })
  : undefined;
const { liveAsWorker } = await import('./worker.js');
liveAsWorker(watchdog);
