import type { ChatMessage } from '../../agents/port.js';
import { type ApiError, badRequest } from './errors.js';
import { LIMITS } from './limits.js';

/** A chat completion request, as far as this server takes part in it. */
export interface CompletionRequest {
  /** the conversation as the client sent it; at least one message is a user's */
  readonly messages: readonly ChatMessage[];
  /** the last message of a user */
  readonly text: string;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  readonly maxTokens: number | undefined;
}

export type Checked<Value> =
  | { readonly kind: 'good'; readonly value: Value }
  | { readonly kind: 'bad'; readonly error: ApiError };

type Fields = Readonly<Record<string, unknown>>;

/** OpenAI's roles to ours. */
const ROLES: ReadonlyMap<unknown, ChatMessage['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);

/** Checks the whole body; thrown away inside, so that each check is one line. */
class Refusal {
  readonly error: ApiError;

  constructor(message: string, param: string | null, code = 'invalid_value') {
    this.error = badRequest(message, { param, code });
  }
}

export function parseCompletionRequest(body: string): Checked<CompletionRequest> {
  try {
    return { kind: 'good', value: parseRequest(parseJson(body)) };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { kind: 'bad', error: thrown.error };
    throw thrown;
  }
}

/** The value of X-Gatewarden-Session-Key. */
export function parseSessionKey(value: string): Checked<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const hasControl = /[\u0000-\u001f\u007f]/.test(value);
  if (value !== '' && value.length <= LIMITS.maxSessionKeyChars && !hasControl) {
    return { kind: 'good', value };
  }
  const limit = LIMITS.maxSessionKeyChars;
  const message = `expected X-Gatewarden-Session-Key of 1 to ${limit} characters, none of them a control character`;
  return { kind: 'bad', error: badRequest(message, { code: 'invalid_session_key' }) };
}

function parseJson(body: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal('expected a body that is JSON', null, 'invalid_json');
  }
  if (!isFields(value)) throw new Refusal('expected a body that is a JSON object', null);
  return value;
}

function parseRequest(fields: Fields): CompletionRequest {
  const messages = parseMessages(fields.messages);
  const question = messages.findLast(({ role }) => role === 'user');
  if (question === undefined) {
    throw new Refusal('expected at least one message with role user', 'messages');
  }
  requireType(fields.model, 'string', 'model');
  requireType(fields.stream, 'boolean', 'stream');
  if (fields.n !== undefined && fields.n !== null && fields.n !== 1) {
    throw new Refusal('expected n of 1: this server gives one choice', 'n', 'unsupported_value');
  }
  const options = isFields(fields.stream_options) ? fields.stream_options : {};
  return {
    messages,
    text: question.content,
    isStream: fields.stream === true,
    wantsUsage: options.include_usage === true,
    maxTokens:
      parseMaxTokens(fields.max_completion_tokens, 'max_completion_tokens') ??
      parseMaxTokens(fields.max_tokens, 'max_tokens'),
  };
}

function requireType(value: unknown, type: 'string' | 'boolean', param: string): void {
  if (value === undefined || value === null || typeof value === type) return;
  throw new Refusal(`expected ${param} as a ${type}, got ${typeof value}`, param, 'invalid_type');
}

function parseMaxTokens(value: unknown, param: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  throw new Refusal(`expected ${param} as a whole number of 1 or more`, param);
}

function parseMessages(value: unknown): ChatMessage[] {
  if (!Array.isArray(value)) {
    throw new Refusal('expected messages as a list', 'messages', 'invalid_type');
  }
  if (value.length === 0 || value.length > LIMITS.maxListItems) {
    const got = `expected 1 to ${LIMITS.maxListItems} messages, got ${value.length}`;
    throw new Refusal(got, 'messages');
  }
  return value.map((item, index) => parseMessage(item, `messages[${index}]`));
}

function parseMessage(value: unknown, param: string): ChatMessage {
  if (!isFields(value)) throw new Refusal(`expected ${param} as an object`, param, 'invalid_type');
  const role = ROLES.get(value.role);
  if (role === undefined) {
    const known = [...ROLES.keys()].join(', ');
    throw new Refusal(`expected ${param}.role as one of ${known}`, `${param}.role`);
  }
  return { role, content: parseContent(value.content, role, `${param}.content`) };
}

function parseContent(value: unknown, role: ChatMessage['role'], param: string): string {
  // a client that keeps tool calls sends assistant messages without a text
  if (role === 'assistant' && (value === null || value === undefined)) return '';
  const text = typeof value === 'string' ? value : joinParts(value, param);
  if (text.length > LIMITS.maxTextChars) {
    const limit = `expected ${param} of at most ${LIMITS.maxTextChars} characters, got ${text.length}`;
    throw new Refusal(limit, param, 'string_above_max_length');
  }
  return text;
}

function joinParts(value: unknown, param: string): string {
  if (!Array.isArray(value)) {
    throw new Refusal(`expected ${param} as text or a list of text parts`, param, 'invalid_type');
  }
  if (value.length > LIMITS.maxListItems) {
    throw new Refusal(`expected at most ${LIMITS.maxListItems} parts in ${param}`, param);
  }
  return value.map((part, index) => parsePart(part, `${param}[${index}]`)).join('');
}

function parsePart(part: unknown, param: string): string {
  if (isFields(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
  throw new Refusal(`expected ${param} as a part of type text`, param, 'unsupported_value');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
