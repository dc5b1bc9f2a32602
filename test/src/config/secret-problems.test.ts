import t from 'tap';
import { checkConfig, explainKey, knownKeys, renderProblems } from '../../../src/config/index.js';
import { homeWith, putFile } from '../../support/config-home.js';

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
    const drivers = explainKey(key)?.drivers ?? [];
    const cases = (drivers.length === 0 ? [undefined] : drivers).flatMap((driver) =>
      VALUES.map((value) => ({ driver, value })),
    );
    // one home for all of them: to load it is what takes the time
    const home = homeWith(t, Object.assign({}, ...cases.map(profileWith(key))));
    t.notMatch(renderProblems(checkConfig(home, {})), SECRET, key);
  }
});

t.test('no problem of any key of the host shows what came from ${NAME}', async (t) => {
  const home = homeWith(t, {});
  for (const key of keysOf('host')) {
    putFile(home, 'config.yaml', written(key, { driver: undefined }));
    const shown = VALUES.map((value) => {
      putFile(home, '.env', `TOK=${quoted(value)}`);
      return renderProblems(checkConfig(home, {}));
    });
    t.notMatch(shown.join('\n'), SECRET, key);
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

interface Case {
  readonly driver: string | undefined;
  readonly value: string;
}

function profileWith(key: string) {
  return (beside: Case, index: number) => ({
    [`profiles/p${index}/config.yaml`]: written(key, beside),
    [`profiles/p${index}/.env`]: `TOK=${quoted(beside.value)}`,
  });
}

function keysOf(file: 'host' | 'profile'): string[] {
  return knownKeys().filter((key) => explainKey(key)?.file === file);
}

/** The key as the file has it, alone and with a list around its value. */
function written(key: string, { driver }: Pick<Case, 'driver'>): string {
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
