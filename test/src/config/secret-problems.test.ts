import t, { type Test } from 'tap';
import { checkConfig, explainKey, knownKeys, renderProblems } from '../../../src/config/index.js';
import { homeWith } from '../../support/config-home.js';

const SECRET = 'regs3cr3tvalue';

/** Shapes that pass the first check of a key and fail a later one. */
const VALUES = ['', '(', 'http://u:', 'ftp://', '0.0.0.0', '127.0.0.1:1', ' '].flatMap((around) => [
  `${around}${SECRET}`,
  `${SECRET}${around}`,
]);

/** What a key needs beside it, so that its value is looked at for more than its shape. */
const BESIDE: Readonly<Record<string, string>> = {
  ready: 'command: [x]',
  cwd: 'command: [x]',
};

t.test('no problem of any key of a profile shows what came from ${NAME}', async (t) => {
  for (const key of keysOf('profile')) {
    for (const driver of explainKey(key)?.drivers ?? []) await check(t, key, { driver });
    if ((explainKey(key)?.drivers ?? []).length === 0) await check(t, key, {});
  }
});

t.test('no problem of any key of the host shows what came from ${NAME}', async (t) => {
  for (const key of keysOf('host')) {
    for (const value of VALUES) {
      const home = homeWith(t, { 'config.yaml': written(key, {}), '.env': `TOK=${quoted(value)}` });
      t.notMatch(renderProblems(checkConfig(home, {})), SECRET, `${key} with ${value}`);
    }
  }
});

t.test('a value that one profile resolved is not shown to another', async (t) => {
  const text = 'platforms: {api_server: {enabled: true, host: "${TOK}", port: 9000, key: k}}';
  const home = homeWith(t, {
    'profiles/a/config.yaml': text,
    'profiles/a/.env': `TOK=${SECRET}`,
    'profiles/b/config.yaml': text,
    'profiles/b/.env': `TOK=${SECRET}`,
  });
  const shown = renderProblems(checkConfig(home, {}));
  t.match(shown, /got \[secret\], which profile a has \(\[secret\]\)/);
  t.notMatch(shown, SECRET);
});

async function check(t: Test, key: string, beside: { readonly driver?: string }) {
  for (const value of VALUES) {
    const files = {
      'profiles/one/config.yaml': written(key, beside),
      'profiles/one/.env': `TOK=${quoted(value)}`,
    };
    const shown = renderProblems(checkConfig(homeWith(t, files), {}));
    t.notMatch(shown, SECRET, `${key} with ${value}`);
  }
}

function keysOf(file: 'host' | 'profile'): string[] {
  return knownKeys().filter((key) => explainKey(key)?.file === file);
}

/** The key as the file has it, alone and with a list around its value. */
function written(key: string, { driver }: { readonly driver?: string }): string {
  const steps = key.split('.');
  const inner = explainKey(key)?.type === 'a list of texts' ? '["${TOK}"]' : '"${TOK}"';
  const within = driver === undefined ? '' : `driver: ${driver}, model: m, `;
  const value = steps.reduceRight((below, step, index) => {
    const siblings = index === steps.length - 1 ? within : '';
    return `{${siblings}${JSON.stringify(step)}: ${below}}`;
  }, inner);
  const [first = ''] = steps;
  const beside = BESIDE[first] ?? '';
  // a flow mapping cannot stand beside a block mapping: strip the outermost braces
  return `${value.slice(1, -1)}\n${beside}\n`;
}

function quoted(value: string): string {
  return `'${value}'`;
}
