import { setMaxListeners } from 'node:events';

/** Ctrl-C and SIGTERM as an AbortSignal, for verbs that wait; a second Ctrl-C ends at once. */
export function onInterrupt(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  // each profile of a verb waits on it, and there may be any number of them
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}

/** Resolves after the delay, or at once when the signal is raised; never rejects. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end, { once: true });
  });
}
