import { constants } from 'node:os';
import { messageOf } from '../../core/errors.js';

/** What Node's own `process.on('SIGTERM')` is made of; the process that hears it goes on living. */
interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
  unref(): void;
}

type Bindings = (name: 'signal_wrap') => { readonly Signal: new () => SignalHandle };

/**
 * Hears signals in this very thread. Node tells the main thread alone, and that one may stand
 * still; the system's own part of it tells every loop of the process that listens.
 * @returns why they cannot be heard; undefined: they can
 */
export function hearSignals(
  signals: readonly NodeJS.Signals[],
  onSignal: () => void,
): string | undefined {
  try {
    const { Signal } = quietly(() => bindings()('signal_wrap'));
    for (const signal of signals) {
      const handle = new Signal();
      handle.unref();
      handle.onsignal = onSignal;
      const failed = handle.start(constants.signals[signal]);
      if (failed !== 0) return `${signal}: error ${failed}`;
      KEPT.push(handle);
    }
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** What nobody holds is collected, and hears nothing. */
const KEPT: SignalHandle[] = [];

function bindings(): Bindings {
  const { binding } = process as unknown as { readonly binding?: Bindings };
  if (binding === undefined) throw new Error(`Node ${process.version} has no signals in threads`);
  return binding;
}

/** Node advises against this door and offers no other one to a thread; said once here, not at each start. */
function quietly<Result>(act: () => Result): Result {
  const before = process.noDeprecation;
  process.noDeprecation = true;
  try {
    return act();
  } finally {
    process.noDeprecation = before ?? false;
  }
}
