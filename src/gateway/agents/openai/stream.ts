import type { OpenAI } from 'openai';
import type { OpenaiSettings } from '../../../core/assignment.js';
import { clampTimerMs } from '../../../core/durations.js';
import type { Tool } from '../../tools/port.js';
import type { AgentAnswer, AgentRequest, FinishReason, TokenUsage } from '../port.js';
import { type ModelFault, readFault } from './faults.js';
import { type AskedCall, ToolCallAssembler } from './tool-calls.js';

/** One answer of a model: words, calls, or both. */
export interface ModelAnswer extends AgentAnswer {
  readonly calls: readonly AskedCall[];
}

/** What one request asks. */
export interface ModelQuestion {
  readonly messages: readonly OpenAI.Chat.Completions.ChatCompletionMessageParam[];
  readonly tools: readonly Tool[];
  /** false: it knows the tools, but has to answer in words */
  readonly mayCall: boolean;
}

export type TryResult =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  | { readonly kind: 'fault'; readonly fault: ModelFault; readonly hasShown: boolean };

/** How long the last numbers may take once the model has said that it is finished. */
const AFTER_FINISH_MS = 1000;

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

interface Collected {
  text: string;
  readonly calls: ToolCallAssembler;
  finishReason: FinishReason | undefined;
  usage: TokenUsage | undefined;
}

export interface Asking {
  readonly settings: OpenaiSettings;
  readonly request: AgentRequest;
  readonly question: ModelQuestion;
}

/** One request, one stream. @throws the request's abort reason */
export async function streamOnce(
  client: OpenAI,
  { settings, request, question }: Asking,
): Promise<TryResult> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), clampTimerMs(settings.timeoutMs));
  const signal = AbortSignal.any([request.signal, silence.signal]);
  const collected: Collected = {
    text: '',
    calls: new ToolCallAssembler(),
    finishReason: undefined,
    usage: undefined,
  };
  let fault: ModelFault | undefined;
  try {
    const params = toParams(settings, request, question);
    const stream = await client.chat.completions.create(params, { signal });
    for await (const chunk of stream) {
      timer.refresh();
      request.onActivity?.();
      const wasFinished = collected.finishReason !== undefined;
      collect(collected, chunk, request.onDelta);
      if (collected.finishReason === undefined || wasFinished) continue;
      // the library reads on until the connection closes, and not every server closes it
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), AFTER_FINISH_MS);
    }
  } catch (thrown) {
    fault = readFault(thrown);
  } finally {
    clearTimeout(timer);
  }
  request.signal.throwIfAborted();
  return judgeEnd(collected, { fault, isSilent: silence.signal.aborted, settings });
}

interface StreamEnd {
  readonly fault: ModelFault | undefined;
  readonly isSilent: boolean;
  readonly settings: OpenaiSettings;
}

/** A stream that ends before it says so is not an answer. */
function judgeEnd(
  { text, calls: { calls }, finishReason, usage }: Collected,
  { fault, isSilent, settings }: StreamEnd,
): TryResult {
  const hasShown = text !== '';
  if (finishReason !== undefined) {
    return { kind: 'answer', answer: { text, calls, finishReason, usage } };
  }
  if (isSilent) {
    const silence = { kind: 'silence', timeoutMs: settings.timeoutMs } as const;
    return { kind: 'fault', fault: silence, hasShown };
  }
  if (fault !== undefined && !(hasShown && fault.kind === 'connection')) {
    return { kind: 'fault', fault, hasShown };
  }
  const message = fault?.kind === 'connection' ? fault.message : 'it ended before it was finished';
  return { kind: 'fault', fault: { kind: 'broken-stream', message }, hasShown };
}

function collect(into: Collected, chunk: Chunk, onDelta: (text: string) => void): void {
  const [choice] = chunk.choices ?? [];
  const piece = choice?.delta?.content ?? choice?.delta?.refusal ?? '';
  if (piece !== '') {
    into.text += piece;
    onDelta(piece);
  }
  into.calls.take(choice?.delta?.tool_calls);
  // tool calls and filters also end the text; only `length` says that it is cut
  if (choice?.finish_reason) {
    into.finishReason = choice.finish_reason === 'length' ? 'length' : 'stop';
  }
  if (chunk.usage) {
    into.usage = {
      promptTokens: chunk.usage.prompt_tokens,
      completionTokens: chunk.usage.completion_tokens,
    };
  }
}

function toParams(
  settings: OpenaiSettings,
  request: AgentRequest,
  { messages, tools, mayCall }: ModelQuestion,
): OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming {
  const { model, systemPrompt, temperature } = settings;
  const maxTokens = smallest(settings.maxTokens, request.maxTokens);
  const system =
    systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }];
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...system, ...messages],
    ...(tools.length === 0 ? {} : toolParams(tools, mayCall)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [maxTokensKey(settings.baseUrl)]: maxTokens }),
  };
}

function toolParams(tools: readonly Tool[], mayCall: boolean) {
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    })),
    // the default, which servers without tools of their own know nothing of, is left unsaid
    ...(mayCall ? {} : { tool_choice: 'none' as const }),
  };
}

/** The vendor's newest models refuse the old name; most compatible servers know only that. */
function maxTokensKey(baseUrl: string): 'max_tokens' | 'max_completion_tokens' {
  return new URL(baseUrl).hostname.endsWith('.openai.com') ? 'max_completion_tokens' : 'max_tokens';
}

function smallest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
