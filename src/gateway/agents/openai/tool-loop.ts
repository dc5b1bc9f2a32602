import type { OpenAI } from 'openai';
import type { GatewayLog } from '../../log.js';
import type { Tool } from '../../tools/port.js';
import { runTool } from '../../tools/run-tool.js';
import type { AgentAnswer, AgentRequest, TokenUsage } from '../port.js';
import type { ModelAnswer } from './stream.js';
import type { AskedCall } from './tool-calls.js';

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** Answers of the model in one turn: a loop that does not converge ends here. */
export const MAX_STEPS = 50;
/** calls in one answer; a model that asks for more is told so */
const MAX_CALLS = 32;
/** what all tool results of a turn may hold together; older ones make room */
const MAX_RESULT_CHARS = 240_000;

const DROPPED = '[left out to make room: ask again if it is needed]';

export interface LoopParts {
  readonly tools: readonly Tool[];
  readonly request: AgentRequest;
  readonly log: GatewayLog;
  readonly ask: (step: Step) => Promise<ModelAnswer>;
}

/** One answer of the model. */
export interface Step {
  readonly messages: readonly Message[];
  /** false: it has to come to its end */
  readonly mayCall: boolean;
  readonly onDelta: (text: string) => void;
}

/** Asks, runs what is asked for, and asks again, until the model has nothing more to call. */
export async function runToolLoop(parts: LoopParts): Promise<AgentAnswer> {
  const { request, tools, ask } = parts;
  let messages: readonly Message[] = request.messages;
  const speech = new Speech(request.onDelta);
  let usage: TokenUsage | undefined;
  for (let step = 1; ; step++) {
    const mayCall = tools.length > 0 && step <= MAX_STEPS;
    const answer = await ask({ messages, mayCall, onDelta: speech.say });
    usage = addUsage(usage, answer.usage);
    if (answer.calls.length === 0 || !mayCall) {
      const finishReason = answer.calls.length > 0 ? 'length' : answer.finishReason;
      return { text: speech.text, finishReason, usage };
    }
    speech.breakOff();
    const results = await runCalls(answer.calls, parts);
    messages = withinBounds([...messages, toMessage(answer), ...results]);
  }
}

const PARAGRAPH = '\n\n';

/** All that is said in a turn: what comes before a call and after it are two paragraphs. */
class Speech {
  readonly #onDelta: (text: string) => void;
  #text = '';
  #isBroken = false;

  constructor(onDelta: (text: string) => void) {
    this.#onDelta = onDelta;
  }

  get text(): string {
    return this.#text;
  }

  readonly say = (piece: string): void => {
    const text = this.#isBroken && this.#text !== '' ? PARAGRAPH + piece : piece;
    this.#isBroken = false;
    this.#text += text;
    this.#onDelta(text);
  };

  breakOff(): void {
    this.#isBroken = true;
  }
}

async function runCalls(calls: readonly AskedCall[], parts: LoopParts): Promise<Message[]> {
  const { tools, request, log } = parts;
  const { turnId, signal } = request;
  const results: Message[] = [];
  for (const [index, { id, name, input }] of calls.entries()) {
    // one after the other: a later command may need what an earlier one did
    const content =
      index < MAX_CALLS
        ? await runTool(tools, { name, input }, { turnId, signal, log })
        : JSON.stringify({ error: `expected at most ${MAX_CALLS} calls at once` });
    request.onActivity?.();
    results.push({ role: 'tool', tool_call_id: id, content });
  }
  return results;
}

function toMessage({ text, calls }: ModelAnswer): Message {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: input === '' ? '{}' : input },
    })),
  };
}

/** The oldest results give way, never the calls: a call without its result is refused by models. */
function withinBounds(messages: readonly Message[]): readonly Message[] {
  let excess = messages.reduce((sum, message) => sum + resultChars(message), -MAX_RESULT_CHARS);
  return messages.map((message) => {
    const chars = resultChars(message);
    if (excess <= 0 || chars <= DROPPED.length || message.role !== 'tool') return message;
    excess -= chars - DROPPED.length;
    return { ...message, content: DROPPED };
  });
}

function resultChars(message: Message): number {
  return message.role === 'tool' && typeof message.content === 'string'
    ? message.content.length
    : 0;
}

function addUsage(left: TokenUsage | undefined, right: TokenUsage | undefined) {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
  };
}
