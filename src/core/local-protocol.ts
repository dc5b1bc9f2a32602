import type { ErrorBody } from './control.js';

/**
 * What `gatewarden chat` and a gateway say to each other on the profile's unix socket: one JSON
 * object per line, UTF-8, one union per direction, one parser each. A client that closes its
 * side has left: what still runs for it is cut off.
 */

/** Longest line either side accepts, in bytes without the newline. */
export const LOCAL_LINE_MAX_BYTES = 1024 * 1024;

/** Longest name of a conversation. */
export const LOCAL_SESSION_MAX_CHARS = 256;

export type FromChat =
  /** one message; answered by deltas and one `final`, or by one `error` */
  | {
      readonly code: 'message';
      /** names a conversation; without it the terminal's own is used */
      readonly session?: string;
      readonly text: string;
      /** sent again with the same id, it is not run twice */
      readonly id?: string;
    }
  /** forget the conversation; answered by `renewed` */
  | { readonly code: 'new'; readonly session?: string }
  /** give up what the conversation does; answered by `stopped` */
  | { readonly code: 'stop'; readonly session?: string }
  /** look again whom you serve besides your own profile; answered by `rescanned` or `error` */
  | { readonly code: 'rescan' };

export type ToChat =
  | { readonly code: 'welcome'; readonly profile: string; readonly version: string }
  /** interim text, never the final word */
  | { readonly code: 'delta'; readonly turn: string; readonly text: string }
  /** the one turn-final, with the whole text */
  | { readonly code: 'final'; readonly turn: string; readonly text: string }
  | {
      readonly code: 'error';
      /** null: the message never became a turn */
      readonly turn: string | null;
      readonly error: ErrorBody['error'];
      /** when trying again makes sense; null: it does not */
      readonly retryAfterMs: number | null;
    }
  /** about the turn, not a part of its answer: it still works, or nothing happens in it */
  | { readonly code: 'note'; readonly turn: string; readonly text: string }
  | { readonly code: 'renewed' }
  | { readonly code: 'rescanned'; readonly served: readonly string[] }
  /** `found`: something ran or waited */
  | { readonly code: 'stopped'; readonly found: boolean }
  /** what the agent says without having been asked: something that it had left running has news */
  | {
      readonly code: 'notice';
      /** null: the terminal's own conversation */
      readonly session: string | null;
      readonly turn: string;
      readonly text: string;
    }
  /** told to every connection when the gateway begins to drain */
  | { readonly code: 'draining'; readonly retryAfterMs: number };

export type ParsedLine<Message> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'broken'; readonly expected: string; readonly got: string };

/** A client's line, already split off and decoded. */
export function parseFromChat(line: string): ParsedLine<FromChat> {
  const fields = parseObject(line);
  if (fields === undefined) return broken('expected one JSON object per line', excerpt(line));
  const { code } = fields;
  if (code === 'rescan') return { kind: 'message', message: { code } };
  if (code !== 'message' && code !== 'new' && code !== 'stop') {
    const got = excerpt(JSON.stringify(code) ?? 'none');
    return broken('expected code message, new, stop or rescan', got);
  }
  const session = optionalName(fields, 'session');
  const id = optionalName(fields, 'id');
  if (session === 'bad' || id === 'bad') {
    const limit = String(LOCAL_SESSION_MAX_CHARS);
    return broken(
      `expected session and id as text of 1 to ${limit} characters without control characters`,
      excerpt(line),
    );
  }
  if (code !== 'message') return { kind: 'message', message: { code, ...session } };
  const { text } = fields;
  if (typeof text !== 'string' || text.trim() === '') {
    return broken('expected text that is not empty', excerpt(JSON.stringify(text) ?? 'none'));
  }
  return { kind: 'message', message: { code, text, ...session, ...id } };
}

/** A gateway's line; `broken` means the other side is not a gateway of this version. */
export function parseToChat(line: string): ParsedLine<ToChat> {
  const fields = parseObject(line);
  const code = fields?.['code'];
  if (fields === undefined || typeof code !== 'string' || !fitsToChat(code, fields)) {
    return broken('expected a line of the local protocol', excerpt(line));
  }
  // the only cast of this direction: `fitsToChat` has just checked the fields
  return { kind: 'message', message: fields as unknown as ToChat };
}

/** One message as its line, newline included. */
export function renderLine(message: FromChat | ToChat): string {
  return `${JSON.stringify(message)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

const TO_CHAT_TEXTS: Readonly<Record<ToChat['code'], readonly string[]>> = {
  welcome: ['profile', 'version'],
  delta: ['turn', 'text'],
  final: ['turn', 'text'],
  error: [],
  renewed: [],
  rescanned: [],
  stopped: [],
  note: ['turn', 'text'],
  notice: ['turn', 'text'],
  draining: [],
};

function fitsToChat(code: string, fields: Fields): boolean {
  if (!Object.hasOwn(TO_CHAT_TEXTS, code)) return false;
  const texts = TO_CHAT_TEXTS[code as ToChat['code']];
  if (!texts.every((name) => typeof fields[name] === 'string')) return false;
  if (code === 'stopped') return typeof fields['found'] === 'boolean';
  if (code === 'rescanned') return Array.isArray(fields['served']);
  if (code === 'draining') return typeof fields['retryAfterMs'] === 'number';
  if (code !== 'error') return true;
  const { error } = fields;
  return typeof error === 'object' && error !== null && 'message' in error && 'code' in error;
}

function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function optionalName<Name extends 'session' | 'id'>(
  fields: Fields,
  name: Name,
): { readonly [Key in Name]?: string } | 'bad' {
  const value = fields[name];
  if (value === undefined || value === null) return {};
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const isName = typeof value === 'string' && /^[^\u0000-\u001f\u007f]+$/.test(value);
  if (!isName || value.length > LOCAL_SESSION_MAX_CHARS) return 'bad';
  return { [name]: value } as { readonly [Key in Name]?: string };
}

const EXCERPT_CHARS = 80;

function excerpt(text: string): string {
  return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
}

function broken(expected: string, got: string): ParsedLine<never> {
  return { kind: 'broken', expected, got };
}
