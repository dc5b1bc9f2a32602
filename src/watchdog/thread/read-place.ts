import type { Place } from '../describe-place.js';
import {
  MAIN_THREAD,
  openStackReader,
  type StackFrame,
  type StackReader,
  TICK_FUNCTION,
} from '../native-stack.js';
import { waitsIn } from './gather-evidence.js';

let reader: StackReader | undefined;

/**
 * Where the main thread is. Waits up to five seconds for it to run any JavaScript; a thread that
 * is in the kernel or in an addon for longer has no stack of its own to show.
 */
export function readPlace(): Place {
  reader ??= openStackReader();
  if (reader.kind === 'missing') return { kind: 'unknown', because: reader.because };
  const frames = reader.native.captureStackTrace()[MAIN_THREAD]?.frames;
  if (frames === undefined) return { kind: 'unknown', because: 'the thread was not registered' };
  if (frames.length === 0) return { kind: 'native', waitsIn: waitsIn() };
  return isWaiting(frames) ? { kind: 'idle' } : { kind: 'frames', frames };
}

/** Met on the way to our own tick, which a loop that waits for nothing else runs. */
function isWaiting(frames: readonly StackFrame[]): boolean {
  return (
    frames.some((frame) => frame.function === TICK_FUNCTION) ||
    frames.every((frame) => frame.filename === TIMERS)
  );
}

const TIMERS = 'node:internal/timers';
