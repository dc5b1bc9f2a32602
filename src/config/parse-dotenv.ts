/** One line of an environment file that is wrong; never holds the value. */
export interface DotenvFault {
  readonly line: number;
  readonly name: string;
  readonly expected: string;
  readonly got: string;
}

export interface ParsedDotenv {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: readonly DotenvFault[];
}

const ASSIGNMENT = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  $: '$',
};

type Value =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'fault'; readonly expected: string; readonly got: string };

/**
 * Reads `NAME=value` lines: `#` comments, an optional `export`, single quotes (as written) and
 * double quotes (\n \r \t \" \\ \$). Nothing is expanded: a value is what stands there.
 */
export function parseDotenv(text: string): ParsedDotenv {
  const values = new Map<string, string>();
  const faults: DotenvFault[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, rest] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined || rest === undefined) {
      faults.push({ line: index + 1, name: '', expected: 'NAME=value', got: 'something else' });
      continue;
    }
    const value = parseValue(rest);
    if (value.kind === 'fault') {
      faults.push({ line: index + 1, name, expected: value.expected, got: value.got });
    } else if (values.has(name)) {
      faults.push({ line: index + 1, name, expected: 'each name once', got: 'a second one' });
    } else {
      values.set(name, value.value);
    }
  }
  return { values, faults };
}

function parseValue(raw: string): Value {
  const text = raw.trim();
  // NUL ends a string in the environment of a process: the rest would vanish
  if (text.includes('\0')) return fault('text', 'a NUL character');
  if (text.startsWith("'")) return singleQuoted(text);
  if (text.startsWith('"')) return doubleQuoted(text);
  return { kind: 'value', value: text.replace(/(?:^|[ \t]+)#.*$/, '') };
}

function singleQuoted(text: string): Value {
  const end = text.indexOf("'", 1);
  if (end === -1) return fault("a closing '", 'the end of the line');
  return afterQuotes(text.slice(end + 1), text.slice(1, end));
}

function doubleQuoted(text: string): Value {
  let value = '';
  for (let index = 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return afterQuotes(text.slice(index + 1), value);
    if (character !== '\\') {
      value += character;
      continue;
    }
    const escaped = ESCAPES[text.charAt(++index)];
    if (escaped === undefined) return fault('\\n, \\r, \\t, \\", \\\\ or \\$', 'another escape');
    value += escaped;
  }
  return fault('a closing " (write a line break as \\n)', 'the end of the line');
}

function afterQuotes(rest: string, value: string): Value {
  if (/^(?:[ \t]+#.*|[ \t]*)$/s.test(rest)) return { kind: 'value', value };
  return fault('nothing after the closing quote', 'more text');
}

function fault(expected: string, got: string): Value {
  return { kind: 'fault', expected, got };
}
