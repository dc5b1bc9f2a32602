import { escapeXml, unescapeXml } from './escape.js';

/** As much of property lists as a launchd job needs. */
export type PlistValue =
  | string
  | number
  | boolean
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

const INDENT = '  ';

/** @throws GatewardenError unit-value-refused */
export function renderPlistValue(value: PlistValue, depth = 0): string {
  const pad = INDENT.repeat(depth);
  if (typeof value === 'string') return `${pad}<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number') return `${pad}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${pad}<${value}/>`;
  if (isList(value)) {
    const items = value.map((item) => renderPlistValue(item, depth + 1));
    return [`${pad}<array>`, ...items, `${pad}</array>`].join('\n');
  }
  const entries = Object.entries(value).flatMap(([key, item]) => [
    `${pad}${INDENT}<key>${escapeXml(key)}</key>`,
    renderPlistValue(item, depth + 1),
  ]);
  return [`${pad}<dict>`, ...entries, `${pad}</dict>`].join('\n');
}

function isList(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

/** undefined when it is not a property list that we can read. */
export function parsePlist(text: string): PlistValue | undefined {
  const tokens = [...withoutComments(text).matchAll(TOKEN)].map(toToken);
  const reader = { tokens, at: 0 };
  return readValue(reader);
}

const TOKEN =
  /<(string|key|integer)>([\s\S]*?)<\/\1>|<(string)\/>|<(true|false)\/>|<(\/?(?:dict|array))>|<(dict|array)\/>/g;

interface Token {
  readonly tag: string;
  readonly text: string;
}

function toToken(match: RegExpMatchArray): Token {
  const [, tag, text = '', empty, flag, bracket, hollow] = match;
  return { tag: tag ?? empty ?? flag ?? bracket ?? `${hollow ?? ''}/`, text: unescapeXml(text) };
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

function readValue(reader: Reader): PlistValue | undefined {
  const token = reader.tokens[reader.at++];
  switch (token?.tag) {
    case 'string':
      return token.text;
    case 'integer':
      return Number(token.text);
    case 'true':
    case 'false':
      return token.tag === 'true';
    case 'array/':
      return [];
    case 'dict/':
      return {};
    case 'array':
      return readList(reader);
    case 'dict':
      return readDictionary(reader);
    default:
      return undefined;
  }
}

function readList(reader: Reader): readonly PlistValue[] | undefined {
  const items: PlistValue[] = [];
  while (reader.tokens[reader.at]?.tag !== '/array') {
    const item = readValue(reader);
    if (item === undefined) return undefined;
    items.push(item);
  }
  reader.at++;
  return items;
}

function readDictionary(reader: Reader): Readonly<Record<string, PlistValue>> | undefined {
  const entries: (readonly [string, PlistValue])[] = [];
  while (reader.tokens[reader.at]?.tag === 'key') {
    const key = reader.tokens[reader.at++]?.text ?? '';
    const value = readValue(reader);
    if (value === undefined) return undefined;
    entries.push([key, value]);
  }
  if (reader.tokens[reader.at++]?.tag !== '/dict') return undefined;
  return Object.fromEntries(entries);
}

function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, '');
}
