import type { FinishReason, TokenUsage } from '../../agents/port.js';
import type { TurnOutcome } from '../../turns/inbound.js';

/** Turns as OpenAI's chat completion objects. Pure. */

export interface CompletionHead {
  readonly id: string;
  /** epoch seconds, as the API has it */
  readonly createdSeconds: number;
  readonly model: string;
}

type Answered = Extract<TurnOutcome, { kind: 'answered' }>;

export function renderCompletion(head: CompletionHead, answer: Answered): object {
  return {
    ...renderHead(head, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text, refusal: null },
        logprobs: null,
        finish_reason: answer.finishReason,
      },
    ],
    ...(answer.usage === undefined ? {} : { usage: renderUsage(answer.usage) }),
  };
}

/** The first chunk says who speaks; each later one adds text. */
export function renderDelta(head: CompletionHead, content: string, isFirst: boolean): object {
  return renderChunk(head, isFirst ? { role: 'assistant', content } : { content }, null);
}

export function renderStop(head: CompletionHead, finishReason: FinishReason): object {
  return renderChunk(head, {}, finishReason);
}

/** The extra chunk for `stream_options.include_usage`. */
export function renderUsageChunk(head: CompletionHead, usage: TokenUsage | undefined): object {
  return {
    ...renderHead(head, 'chat.completion.chunk'),
    choices: [],
    usage: usage === undefined ? null : renderUsage(usage),
  };
}

/** `createdSeconds` is when this gateway became one. */
export function renderModel(model: string, createdSeconds: number): object {
  return { id: model, object: 'model', created: createdSeconds, owned_by: 'gatewarden' };
}

export function renderModels(model: string, createdSeconds: number): object {
  return { object: 'list', data: [renderModel(model, createdSeconds)] };
}

function renderChunk(
  head: CompletionHead,
  delta: object,
  finishReason: FinishReason | null,
): object {
  return {
    ...renderHead(head, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
}

function renderHead({ id, createdSeconds, model }: CompletionHead, object: string): object {
  return { id, object, created: createdSeconds, model };
}

function renderUsage({ promptTokens, completionTokens }: TokenUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
