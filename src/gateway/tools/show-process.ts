import { describeState } from '../processes/render-notice.js';
import { endedAt, type ProcessState, type ToolProcess } from '../processes/tool-process.js';

/** A process as the agent reads it. */
export function showProcess(process: ToolProcess, now: number): Record<string, unknown> {
  const { facts } = process;
  const state = process.look();
  const isOver = endedAt(state) !== undefined;
  return {
    process_id: facts.id,
    command: facts.command,
    pid: facts.identity.pid,
    ...showState(state),
    seconds: Math.round(((endedAt(state) ?? now) - facts.startedAt) / 100) / 10,
    ...(process.output === undefined ? { detached: true } : {}),
    ...(process.output?.firstChar ? { output_lost_chars: process.output.firstChar } : {}),
    ...(isOver && process.isOccupied ? { note: LEFT_BEHIND } : {}),
  };
}

const LEFT_BEHIND = 'it has ended, but something that it started still runs: kill ends that too';

/** A code only where the process itself gave one: what we ended, or lost, has none. */
function showState(state: ProcessState): Record<string, unknown> {
  const status = describeState(state);
  if (state.kind === 'exited') {
    return { state: 'exited', exit_code: state.code, signal: state.signal, status };
  }
  return { state: state.kind, status };
}
