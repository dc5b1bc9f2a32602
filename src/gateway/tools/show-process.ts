import { maskSecrets } from '../../core/secret.js';
import { describeState } from '../processes/render-notice.js';
import type { ProcessResult } from '../processes/results-file.js';
import { endedAt, type ProcessState, type ToolProcess } from '../processes/tool-process.js';

/** A process as the agent reads it, without the profile's secrets. */
export function showProcess(
  process: ToolProcess,
  secrets: readonly string[],
): Record<string, unknown> {
  const { facts } = process;
  const state = process.look();
  const isOver = endedAt(state) !== undefined;
  return {
    process_id: facts.id,
    command: maskSecrets(facts.command, secrets),
    pid: facts.identity.pid,
    ...showState(state),
    seconds: Math.round(((endedAt(state) ?? Date.now()) - facts.startedAt) / 100) / 10,
    ...(process.output === undefined ? { detached: true } : {}),
    ...(process.output?.firstChar ? { output_lost_chars: process.output.firstChar } : {}),
    ...(process.ranOutOfMemory ? { out_of_memory: OUT_OF_MEMORY } : {}),
    ...(isOver && process.isOccupied ? { note: LEFT_BEHIND } : {}),
  };
}

/** One that the registry has forgotten, or that an earlier gateway started. */
export function showResult(result: ProcessResult): Record<string, unknown> {
  const { outputTail: output, command, pid, startedAt, endedAt: at } = result;
  const seconds = Math.round((at - startedAt) / 100) / 10;
  return { ...showResultBriefly(result), command, pid, seconds, note: ONLY_TAIL, output };
}

export function showResultBriefly(result: ProcessResult): Record<string, unknown> {
  const { id, command, state, endedAt: at } = result;
  return {
    process_id: id,
    command: command.slice(0, BRIEF_COMMAND_CHARS),
    ended_at: new Date(at).toISOString(),
    ...showState({ ...state, at }),
  };
}

const BRIEF_COMMAND_CHARS = 200;
const OUT_OF_MEMORY = 'the kernel ended a process of it: it needed more memory than it may have';
const ONLY_TAIL = 'it ended a while ago: only the end of its output was kept';
const LEFT_BEHIND = 'it has ended, but something that it started still runs: kill ends that too';

/** A code only where the process itself gave one: what we ended, or lost, has none. */
function showState(state: ProcessState): Record<string, unknown> {
  const status = describeState(state);
  if (state.kind === 'exited') {
    return { state: 'exited', exit_code: state.code, signal: state.signal, status };
  }
  return { state: state.kind, status };
}
