import { messageOf } from '../../core/errors.js';
import type { GatewayLog } from '../log.js';
import { ToolRefusal } from '../processes/refusal.js';
import type { Tool, ToolCall, ToolInput } from './port.js';

export interface AskedTool {
  readonly name: string;
  /** JSON as the model wrote it */
  readonly input: string;
}

/**
 * Runs one call of a model. Whatever goes wrong is told to the model, which can do better.
 * @throws the signal's reason once it is aborted
 */
export async function runTool(
  tools: readonly Tool[],
  asked: AskedTool,
  call: ToolCall & { readonly log: GatewayLog },
): Promise<string> {
  call.signal.throwIfAborted();
  try {
    const tool = tools.find(({ name }) => name === asked.name);
    if (tool === undefined) {
      const known = tools.map(({ name }) => name).join(', ');
      throw new ToolRefusal(`no tool is named ${asked.name}; known: ${known}`);
    }
    return await tool.run(parseInput(asked.input), call);
  } catch (thrown) {
    call.signal.throwIfAborted();
    if (thrown instanceof ToolRefusal) return JSON.stringify({ error: thrown.message });
    const stack = thrown instanceof Error ? thrown.stack : messageOf(thrown);
    call.log.error('a tool broke', { tool: asked.name, turn: call.turnId, stack });
    return JSON.stringify({ error: 'the tool broke inside; this was logged' });
  }
}

function parseInput(text: string): ToolInput {
  // a call without arguments comes as an empty text from some models
  const input: unknown = text.trim() === '' ? {} : parseJson(text);
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return input as ToolInput;
  }
  throw new ToolRefusal('expected arguments as a JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolRefusal('expected arguments that are JSON; they may have been cut off');
  }
}
