import { secondsToMs } from '../../core/durations.js';
import type { GatewayProcesses } from '../processes/open-processes.js';
import { ToolRefusal } from '../processes/refusal.js';
import type { ProcessResult } from '../processes/results-file.js';
import { endedAt, isOver, type ToolProcess } from '../processes/tool-process.js';
import type { Tool, ToolCall, ToolInput } from './port.js';
import { checkNames, readFlag, readNumber, readOptionalText, readText } from './read-input.js';
import { showOutput } from './show-output.js';
import { showProcess, showResult, showResultBriefly } from './show-process.js';
import { hasEndedWithin } from './terminal.js';

export interface ProcessParts {
  readonly processes: GatewayProcesses;
  readonly secrets: readonly string[];
}

const ACTIONS = ['list', 'poll', 'log', 'wait', 'write', 'kill'] as const;
type Action = (typeof ACTIONS)[number];

/** Characters of a log that one call shows when it does not say how many. */
const LOG_CHARS = 20_000;

/** Results of long ago that a list shows: an agent reads it all. */
const LISTED_RESULTS = 10;

/** What the agent does with processes that it started in the background. */
export function createProcessTool(parts: ProcessParts): Tool {
  const maxSeconds = parts.processes.limits.waitMaxMs / 1000;
  const properties = {
    action: {
      type: 'string',
      enum: ACTIONS,
      description:
        'list: all of this conversation; poll: state and new output; log: output from a position; ' +
        'wait: until it has ended; write: to its input; kill: it and all that it started',
    },
    process_id: { type: 'string', description: 'for all actions but list' },
    timeout_seconds: {
      type: 'number',
      description: `wait: how long at most; more than 0, at most ${maxSeconds}, which is the default`,
    },
    text: { type: 'string', description: 'write: as it is; a line needs its newline' },
    end_of_input: { type: 'boolean', description: 'write: close its input afterwards' },
    offset: { type: 'number', description: 'log: position to begin at; default: the last part' },
    limit: { type: 'number', description: `log: characters; default ${LOG_CHARS}` },
  };
  const desk = new ProcessDesk(parts);
  return {
    name: 'process',
    description: 'Looks after the processes that terminal started with background.',
    parameters: { type: 'object', properties, required: ['action'], additionalProperties: false },
    run: async (input, call) => {
      checkNames(input, Object.keys(properties));
      return JSON.stringify(await desk.answer(input, call));
    },
  };
}

class ProcessDesk {
  readonly #parts: ProcessParts;
  /** how far each one's output was shown by poll */
  readonly #positions = new WeakMap<ToolProcess, number>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  async answer(input: ToolInput, call: ToolCall): Promise<unknown> {
    const action = readText(input, 'action') as Action;
    const sessionKey = this.#sessionOf(call);
    if (action === 'list') return this.#list(sessionKey);
    if (!ACTIONS.includes(action)) {
      throw new ToolRefusal(`expected action as one of ${ACTIONS.join(', ')}`);
    }
    const process = this.#find(readText(input, 'process_id'), sessionKey);
    if ('outputTail' in process) return this.#showKept(process, action);
    switch (action) {
      case 'poll':
        return this.#poll(process);
      case 'log':
        return this.#log(process, input);
      case 'wait':
        return await this.#wait(process, input, call.signal);
      case 'write':
        return await this.#write(process, input);
      case 'kill':
        return await this.#kill(process);
      default:
        return action satisfies never;
    }
  }

  #sessionOf({ turnId }: ToolCall): string {
    const turn = this.#parts.processes.claims.find(turnId);
    if (turn === undefined) throw new ToolRefusal('the turn is over');
    return turn.origin.sessionKey;
  }

  #list(sessionKey: string): unknown {
    const { registry, results } = this.#parts.processes;
    const processes = registry.all
      .filter(({ facts }) => facts.origin.sessionKey === sessionKey)
      .map((process) => showProcess(process, this.#parts.secrets));
    const earlier = results.of(sessionKey).filter(({ id }) => registry.find(id) === undefined);
    if (earlier.length === 0) return { processes };
    return { processes, ended_earlier: earlier.slice(0, LISTED_RESULTS).map(showResultBriefly) };
  }

  #showKept(result: ProcessResult, action: Action): unknown {
    if (action === 'write') throw new ToolRefusal('it has ended: there is nobody to write to');
    return showResult(result);
  }

  /** One conversation does not see, and cannot end, what another one runs. */
  #find(id: string, sessionKey: string): ToolProcess | ProcessResult {
    const { registry, results } = this.#parts.processes;
    const process = registry.find(id);
    if (process?.facts.origin.sessionKey === sessionKey) return process;
    const result = results.find(id, sessionKey);
    if (result !== undefined) return result;
    throw new ToolRefusal(`no process is named ${id}: action list shows those that are known`);
  }

  #poll(process: ToolProcess): unknown {
    const { output } = process;
    const from = this.#positions.get(process) ?? 0;
    if (output !== undefined) this.#positions.set(process, output.totalChars);
    return { ...this.#show(process), output: this.#mask(output?.since(from)) };
  }

  #log(process: ToolProcess, input: ToolInput): unknown {
    const { output } = process;
    if (output === undefined) {
      throw new ToolRefusal('an earlier gateway started it, and its output went with that one');
    }
    const { outputChars } = this.#parts.processes.limits;
    const limit = readNumber(input, 'limit', { min: 1, max: outputChars }) ?? LOG_CHARS;
    const max = Number.MAX_SAFE_INTEGER;
    const asked = readNumber(input, 'offset', { min: 0, max }) ?? output.totalChars - limit;
    const from = Math.max(Math.floor(asked), output.firstChar);
    const text = output.since(from).slice(0, Math.floor(limit));
    return {
      ...this.#show(process),
      first_position: output.firstChar,
      from,
      to: from + text.length,
      end_position: output.totalChars,
      output: this.#mask(text),
    };
  }

  async #wait(process: ToolProcess, input: ToolInput, signal: AbortSignal): Promise<unknown> {
    const { notifier, limits } = this.#parts.processes;
    const maxSeconds = limits.waitMaxMs / 1000;
    const seconds =
      readNumber(input, 'timeout_seconds', { min: 0.001, max: maxSeconds }) ?? maxSeconds;
    const { id } = process.facts;
    const isOverNow = await notifier.whileWaiting(id, () =>
      hasEndedWithin(process, secondsToMs(seconds), signal),
    );
    const polled = this.#poll(process) as object;
    return isOverNow ? polled : { ...polled, timed_out: true };
  }

  async #write(process: ToolProcess, input: ToolInput): Promise<unknown> {
    const isLast = readFlag(input, 'end_of_input');
    const text = readOptionalText(input, 'text') ?? '';
    const { writeChars } = this.#parts.processes.limits;
    if (text.length > writeChars) {
      throw new ToolRefusal(`expected text of at most ${writeChars} characters at once`);
    }
    if (text === '' && !isLast) throw new ToolRefusal('expected text, or end_of_input');
    const outcome = await process.write(text, isLast);
    if (outcome === 'closed') {
      throw new ToolRefusal('its input is closed: start it with background and keep_stdin');
    }
    if (outcome === 'full') throw new ToolRefusal('it has not read what it was sent before');
    return this.#show(process);
  }

  async #kill(process: ToolProcess): Promise<unknown> {
    const { registry, limits } = this.#parts.processes;
    if (isOver(process.look()) && !process.isOccupied) return this.#show(process);
    await registry.end(process, 'process kill', limits.termGraceMs);
    return this.#show(process);
  }

  /** Whoever is shown an end need not be told of it again. */
  #show(process: ToolProcess): Record<string, unknown> {
    const shown = showProcess(process, this.#parts.secrets);
    if (endedAt(process.look()) !== undefined) {
      this.#parts.processes.notifier.consume(process.facts.id);
    }
    return shown;
  }

  #mask(output: string | undefined): string {
    return showOutput(output ?? '', this.#parts.secrets);
  }
}
