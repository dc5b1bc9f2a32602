/** What the supervisor does on a signal; a signal never changes what is desired. */
export interface SignalActions {
  /** SIGTERM, SIGINT: the first drains, the second hurries */
  stop(signal: string): void;
  hurry(): void;
  /** SIGHUP */
  reload(): void;
  /** SIGUSR2 (SIGUSR1 starts Node's inspector): all planned */
  restartAll(): void;
}

/** Listens until the returned function is called. */
export function listenForSignals(
  source: Pick<NodeJS.Process, 'on' | 'off'>,
  actions: SignalActions,
): () => void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) actions.hurry();
    else actions.stop(signal);
    stopping = true;
  };
  const reload = (): void => actions.reload();
  const restartAll = (): void => actions.restartAll();
  const handlers = [
    ['SIGTERM', stop],
    ['SIGINT', stop],
    ['SIGHUP', reload],
    ['SIGUSR2', restartAll],
  ] as const;
  for (const [signal, handler] of handlers) source.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) source.off(signal, handler);
  };
}
