import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { clampTimerMs } from '../../../core/durations.js';
import { createEventStream, type EventStream } from '../../http/event-stream.js';
import type { InboundMessage, TurnIdentity, TurnOutcome } from '../../turns/inbound.js';
import { renderNote, type TurnNote } from '../../turns/notes.js';
import type { TurnRunner } from '../../turns/runner.js';
import { type ApiError, errorBody, errorHeaders, toApiError } from './errors.js';
import type { CompletionRequest } from './inbound.js';
import type { OpenStreams } from './open-streams.js';
import {
  type CompletionHead,
  renderCompletion,
  renderDelta,
  renderStop,
  renderUsageChunk,
} from './render.js';

/** What node's server gives to each request. */
export type Env = { Bindings: HttpBindings };

export interface CompletionRun {
  readonly request: CompletionRequest;
  /** undefined: the conversation is what the client sent */
  readonly sessionKey: string | undefined;
  readonly head: CompletionHead;
  readonly platform: string;
  readonly turns: TurnRunner;
  /** answers that are being streamed */
  readonly streams: OpenStreams;
  readonly keepaliveMs: number;
  /** its closing before the end means that the client left */
  readonly outgoing: ServerResponse;
}

const SESSION_HEADER = 'X-Gatewarden-Session-Id';
const NOTE_HEADER = 'X-Gatewarden-Note';

/** Runs one completion as a turn and answers in the form that was asked for. */
export function answerCompletion(run: CompletionRun): Promise<Response> {
  return run.request.isStream ? answerStream(run) : answerWhole(run);
}

export function errorResponse(error: ApiError, headers: Record<string, string> = {}): Response {
  return Response.json(errorBody(error), {
    status: error.status,
    headers: { ...errorHeaders(error), ...headers },
  });
}

async function answerWhole(run: CompletionRun): Promise<Response> {
  const notes: TurnNote[] = [];
  const onNote = (note: TurnNote) => notes.push(note);
  const outcome = await run.turns.submit(toInbound(run, { onNote }));
  if (outcome.kind !== 'answered') return unansweredResponse(outcome);
  const headers = { ...sessionOf(outcome), ...suspensionOf(notes) };
  return Response.json(renderCompletion(run.head, outcome), { headers });
}

/**
 * The status is decided by the first word: until then a failure is a plain HTTP error, which
 * clients know how to retry; after it the stream carries the error.
 */
async function answerStream(run: CompletionRun): Promise<Response> {
  const stream = createEventStream(run.keepaliveMs);
  run.streams.add(stream, run.sessionKey);
  const notes: TurnNote[] = [];
  let started: TurnIdentity | undefined;
  let open: (response: Response) => void = () => {};
  const opened = new Promise<Response>((resolve) => {
    open = resolve;
  });
  let isOpen = false;
  const ensureOpen = () => {
    if (isOpen) return;
    isOpen = true;
    const headers = { ...STREAM_HEADERS, ...sessionOf(started), ...suspensionOf(notes) };
    open(new Response(stream.body, { headers }));
    stream.send(renderDelta(run.head, '', true));
  };
  // a client that gets no sign of life gives up: then the status is 200 before the first word
  const patience = setTimeout(ensureOpen, clampTimerMs(run.keepaliveMs));
  const message = toInbound(run, {
    onStart: (identity) => {
      started = identity;
    },
    onNote: (note) => {
      notes.push(note);
      stream.comment(renderNote(note));
    },
    onDelta: (text) => {
      ensureOpen();
      stream.send(renderDelta(run.head, text, false));
    },
  });
  const ended = run.turns
    .submit(message)
    .then((outcome) => {
      if (outcome.kind === 'answered') ensureOpen();
      if (isOpen) return endStream(run, stream, outcome);
      stream.end();
      return outcome.kind === 'answered' ? undefined : unansweredResponse(outcome);
    })
    .catch((thrown: unknown) => {
      stream.end();
      throw thrown;
    })
    .finally(() => {
      clearTimeout(patience);
      run.streams.remove(stream);
    });
  return (await Promise.race([opened, ended])) ?? opened;
}

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
};

function endStream(run: CompletionRun, stream: EventStream, outcome: TurnOutcome): undefined {
  if (outcome.kind !== 'answered') {
    stream.send(errorBody(toApiError(outcome)));
    stream.end();
    return;
  }
  stream.send(renderStop(run.head, outcome.finishReason));
  if (run.request.wantsUsage) stream.send(renderUsageChunk(run.head, outcome.usage));
  stream.done();
}

function unansweredResponse(outcome: Exclude<TurnOutcome, { kind: 'answered' }>): Response {
  return errorResponse(toApiError(outcome), sessionOf(outcome));
}

function toInbound(
  run: CompletionRun,
  { onStart, onDelta, onNote }: Partial<Pick<InboundMessage, 'onStart' | 'onDelta' | 'onNote'>>,
): InboundMessage {
  const { request, sessionKey } = run;
  return {
    platform: run.platform,
    conversation:
      sessionKey === undefined
        ? { kind: 'stateless', messages: request.messages }
        : { kind: 'stored', chatId: sessionKey },
    text: request.text,
    messageId: undefined,
    maxTokens: request.maxTokens,
    workKind: 'api-run',
    onDelta: onDelta ?? (() => {}),
    ...(onStart === undefined ? {} : { onStart }),
    ...(onNote === undefined ? {} : { onNote }),
    signal: callerSignal(run.outgoing),
  };
}

function callerSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const judge = () => {
    if (!outgoing.writableFinished) controller.abort();
  };
  if (outgoing.closed) judge();
  outgoing.once('close', judge);
  return controller.signal;
}

/** The one note that changes what a program does next: what it said before is forgotten. */
function suspensionOf(notes: readonly TurnNote[]): Record<string, string> {
  return notes.some(({ kind }) => kind === 'suspended') ? { [NOTE_HEADER]: 'suspended' } : {};
}

function sessionOf(known: object | undefined): Record<string, string> {
  if (known === undefined || !('sessionId' in known)) return {};
  return { [SESSION_HEADER]: String(known.sessionId) };
}
