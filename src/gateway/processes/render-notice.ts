import { formatDuration } from '../../core/durations.js';
import { endedAt, type ProcessState, type ToolProcess } from './tool-process.js';

/** What the agent is told when a process of an earlier turn has ended. */
export function renderCompletion(process: ToolProcess, tailChars: number): string {
  const { id, command } = process.facts;
  const tail = process.output?.tail(tailChars) ?? '';
  const output = tail === '' ? 'It printed nothing.' : `The end of its output:\n${tail}`;
  const shown = process.output === undefined ? '' : `\n${output}`;
  return `${MARK} Process ${id} ${describeEnd(process)}.\nCommand: ${shorten(command)}${shown}`;
}

export interface Match {
  readonly lines: readonly string[];
  /** matches before these that were not told */
  readonly missed: number;
  readonly isLast: boolean;
}

/** What the agent is told when the output of a process holds what it waits for. */
export function renderMatch(process: ToolProcess, { lines, missed, isLast }: Match): string {
  const { id, command } = process.facts;
  const more = missed > 0 ? `\n${missed} more matches before it were not told.` : '';
  const last = isLast
    ? '\nIt matches too often: from now on only the end of the process is told.'
    : '';
  const head = `${MARK} Process ${id} printed what is watched for.`;
  return `${head}\nCommand: ${shorten(command)}\n${lines.join('\n')}${more}${last}`;
}

const MARK = '[background process]';

function describeEnd(process: ToolProcess): string {
  const state = process.look();
  const tookMs = (endedAt(state) ?? Date.now()) - process.facts.startedAt;
  const why = process.ranOutOfMemory ? ' (out of memory)' : '';
  return `${describeState(state)}${why} after ${formatDuration(tookMs)}`;
}

export function describeState(state: ProcessState): string {
  switch (state.kind) {
    case 'running':
      return 'runs';
    case 'exited':
      return state.signal === null
        ? `ended with exit code ${state.code}`
        : `was ended by ${state.signal}`;
    case 'killed':
      return `was ended (${state.by})`;
    case 'stuck':
      return `was to be ended (${state.by}) but still lives: pid ${state.pids.join(', ')}`;
    case 'gone':
      return 'ended while nobody watched it, so its exit code is not known';
    default:
      return state satisfies never;
  }
}

const SHOWN_COMMAND_CHARS = 300;

function shorten(command: string): string {
  return command.length > SHOWN_COMMAND_CHARS
    ? `${command.slice(0, SHOWN_COMMAND_CHARS)}…`
    : command;
}
