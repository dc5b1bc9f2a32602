import type { GatewardenError } from '../../../core/errors.js';
import type { TurnOutcome } from '../../turns/inbound.js';
import { RETRY_AFTER_MS } from '../../turns/refusals.js';

/** An error as OpenAI's clients read it, with what HTTP adds to it. */
export interface ApiError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502 | 503;
  readonly message: string;
  readonly type: 'invalid_request_error' | 'rate_limit_error' | 'server_error' | 'upstream_error';
  readonly code: string;
  /** the field that is wrong */
  readonly param: string | null;
  readonly retryAfterMs: number | undefined;
  /** false stops a client that would try again by itself although it cannot help */
  readonly isRetryable: boolean;
}

type UnansweredOutcome = Exclude<TurnOutcome, { kind: 'answered' }>;

export function badRequest(
  message: string,
  more: Partial<Pick<ApiError, 'status' | 'code' | 'param'>> = {},
): ApiError {
  return {
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_value',
    param: null,
    ...more,
    message,
    retryAfterMs: undefined,
    isRetryable: false,
  };
}

export function noRoute(path: string): ApiError {
  return badRequest(`no route is named ${path}`, { status: 404, code: 'not_found' });
}

export function tooBusy(max: number, retryAfterMs: number): ApiError {
  return {
    status: 429,
    message: `${max} runs are in progress, which is the limit`,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    param: null,
    retryAfterMs,
    isRetryable: true,
  };
}

/** A profile that this process serves is not there yet, or not there again. */
export function guestAway(profile: string): ApiError {
  return {
    status: 503,
    message: `profile ${profile} is starting; retry shortly`,
    type: 'server_error',
    code: 'gateway_restarting',
    param: null,
    retryAfterMs: RETRY_AFTER_MS,
    isRetryable: true,
  };
}

export function brokenInside(): ApiError {
  return {
    status: 500,
    message: 'the gateway broke while answering; its log says where',
    type: 'server_error',
    code: 'internal_error',
    param: null,
    retryAfterMs: undefined,
    isRetryable: false,
  };
}

/** What the caller is told about a turn that brought no answer. */
export function toApiError(outcome: UnansweredOutcome): ApiError {
  const { error } = outcome;
  const retryAfterMs = outcome.kind === 'failed' ? undefined : outcome.retryAfterMs;
  return {
    ...classify(error),
    message: error.next === '' ? error.message : `${error.message}; ${error.next}`,
    code: error.code,
    param: null,
    retryAfterMs,
    isRetryable: retryAfterMs !== undefined,
  };
}

function classify(error: GatewardenError): Pick<ApiError, 'status' | 'type'> {
  switch (error.code) {
    case 'gateway-draining':
    case 'turn-interrupted':
      return { status: 503, type: 'server_error' };
    case 'queue-full':
      return { status: 429, type: 'rate_limit_error' };
    case 'message-repeated':
      return { status: 409, type: 'invalid_request_error' };
    case 'turn-failed':
      return { status: 502, type: 'upstream_error' };
    default:
      return { status: 500, type: 'server_error' };
  }
}

export function errorBody({ message, type, code, param }: ApiError): { error: object } {
  return { error: { message, type, code, param } };
}

export function errorHeaders(error: ApiError): Record<string, string> {
  const headers: Record<string, string> = { 'x-should-retry': String(error.isRetryable) };
  if (error.retryAfterMs !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  }
  if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
  return headers;
}
