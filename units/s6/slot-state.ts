/** What s6-svstat says, as asked for with -o: its line for people changes between versions. */
export interface SlotState {
  readonly isUp: boolean;
  readonly isWantedUp: boolean;
  readonly isReady: boolean;
  readonly pid: number | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

export const SLOT_FIELDS = ['up', 'wantedup', 'ready', 'pid', 'exitcode', 'signal'] as const;

export function parseSlotState(line: string): SlotState {
  const [up, wantedUp, ready, pid = '', exitCode = '', signal = ''] = line.trim().split(/\s+/);
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);
  const isUp = up === 'true';
  return {
    isUp,
    isWantedUp: wantedUp === 'true',
    isReady: ready === 'true',
    // -1 for what does not run
    pid: isUp ? number(pid) : undefined,
    exitCode: number(exitCode),
    signal: signal === 'NA' || signal === '' || signal === '-1' ? undefined : signal,
  };
}

export function describeSlotState(state: SlotState): string {
  if (state.isUp)
    return `up${state.isReady ? '' : ', not ready yet'}, pid ${state.pid ?? 'unknown'}`;
  const wanted = state.isWantedUp ? ', starts again' : '';
  const end = state.signal ?? (state.exitCode === undefined ? undefined : `exit ${state.exitCode}`);
  return `down${end === undefined ? ', not started yet' : ` after ${end}`}${wanted}`;
}
