import {
  type ConfigFileKind,
  explainKey,
  type KeyExplanation,
  knownKeys,
} from '../../src/config/index.js';
import { ERRORS } from '../../src/core/errors.js';
import { CLI_EXIT, EXIT_CLASSES, STATUS_EXIT } from '../../src/core/exit-codes.js';
import { METRIC_NAMES, METRICS } from '../../src/observability/index.js';
import { LAUNCHD_POLICY } from '../../units/launchd/policy.js';
import { S6_POLICY } from '../../units/s6/policy.js';
import { hardening, LEFT_OUT, LIFE_POLICY, type PolicyLine } from '../../units/systemd/policy.js';
import { EXPOSURES, exposureText } from './exposure.js';
import { tableRow } from './pages.js';
import { verbTables } from './verb-tables.js';

/** Tables of the pages that are made from the sources: `npm run pages` writes them, tests compare. */
export const GENERATED_TABLES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/exit-codes.md': {
    contract: contractTable,
    'command line': () => codeTable(CLI_EXIT, CLI_MEANINGS),
    status: () => codeTable(STATUS_EXIT, STATUS_MEANINGS),
  },
  'docs/systemd.md': {
    'exit codes': () => managerTable('systemd', SYSTEMD_WORDS),
    life: () => policyTable(LIFE_POLICY),
    'hardening user': () => policyTable(hardening('user', false)),
    'hardening system': () =>
      policyTable(hardening('system', false).filter((line) => !isInUserScope(line.key))),
    exposure: () =>
      table(
        ['unit', 'exposure'],
        Object.values(EXPOSURES).map((row) => [row.of, exposureText(row)]),
      ),
    'left out': () =>
      table(
        ['setting', 'would break'],
        Object.entries(LEFT_OUT).map(([key, breaks]) => [`\`${key}\``, breaks]),
      ),
  },
  'docs/s6.md': {
    'exit codes': () => managerTable('s6Finish', S6_WORDS),
    policy: () =>
      table(
        ['file', 'value', 'because'],
        S6_POLICY.map(({ file, value, because }) => [`\`${file}\``, `\`${value}\``, because]),
      ),
  },
  'docs/launchd.md': {
    'exit codes': () => managerTable('launchd', LAUNCHD_WORDS),
    policy: () =>
      table(
        ['key', 'value', 'because'],
        LAUNCHD_POLICY.map(({ key, value, because }) => [
          `\`${key}\``,
          `\`${JSON.stringify(value)}\``,
          because,
        ]),
      ),
  },
  'docs/errors.md': { errors: errorTable },
  'docs/metrics.md': { metrics: metricTable },
  'docs/cli.md': verbTables(),
  'docs/config.md': { host: () => configTable('host'), profile: () => configTable('profile') },
};

/** Replaces what stands between `<!-- table: name -->` and `<!-- end -->`. */
export function withTables(text: string, tables: Readonly<Record<string, () => string>>): string {
  return text.replace(
    /(<!-- table: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g,
    (whole, open: string, name: string, close: string) => {
      const render = tables[name];
      return render === undefined ? whole : `${open}\n${render()}\n\n${close}`;
    },
  );
}

function contractTable(): string {
  return table(
    ['code', 'name', 'sysexits', 'means', 'supervisor', 'systemd', 's6 finish', 'launchd'],
    Object.entries(EXIT_CLASSES).map(([name, row]) => [
      String(row.code),
      `\`${name}\``,
      row.sysexits ?? '',
      row.meaning,
      row.supervisor,
      row.systemd,
      row.s6Finish,
      row.launchd,
    ]),
  );
}

const SYSTEMD_WORDS = {
  'stay-down': 'stays down (`inactive`)',
  restart: 'starts again after 5 s',
  'restart-uncounted': 'starts again after 5 s, and it is no failure',
  prevent: 'stays down (`failed`)',
} as const;

const S6_WORDS = {
  permanent: 'stays down: finish answers 125',
  restart: 'starts again after 1 s',
} as const;

const LAUNCHD_WORDS = { restart: 'starts again after 30 s' } as const;

function managerTable<Column extends 'systemd' | 's6Finish' | 'launchd'>(
  column: Column,
  words: Readonly<Record<string, string>>,
): string {
  return table(
    ['code', 'name', 'means', 'what happens'],
    Object.entries(EXIT_CLASSES).map(([name, row]) => [
      String(row.code),
      `\`${name}\``,
      row.meaning,
      words[row[column]] ?? '',
    ]),
  );
}

function policyTable(lines: readonly PolicyLine[]): string {
  return table(
    ['setting', 'because'],
    lines.map(({ key, value, because }) => [`\`${key}=${value}\``, because]),
  );
}

function isInUserScope(key: string): boolean {
  return hardening('user', false).some((line) => line.key === key);
}

const CLI_MEANINGS: Readonly<Record<keyof typeof CLI_EXIT, string>> = {
  done: 'done as asked, and observed',
  failed: 'it failed, or was observed to end differently',
  unfinished: 'not finished yet when the wait ended: still starting or still draining',
  usage: 'unknown verb, option, argument or profile',
  refused: 'refused by configuration; trying again cannot help',
};

const STATUS_MEANINGS: Readonly<Record<keyof typeof STATUS_EXIT, string>> = {
  ready: 'every profile that should run is ready',
  degraded: 'some are degraded, starting, draining or backing off',
  down: 'some are down or parked',
  noSupervisor: 'no supervisor answers',
};

function codeTable<Name extends string>(
  codes: Readonly<Record<Name, number>>,
  meanings: Readonly<Record<Name, string>>,
): string {
  const names = Object.keys(codes) as Name[];
  return table(
    ['code', 'means'],
    names.map((name) => [String(codes[name]), meanings[name]]),
  );
}

function errorTable(): string {
  return table(
    ['code', 'whose fault', 'exit', 'says', 'next'],
    Object.entries(ERRORS).map(([code, row]) => [
      `\`${code}\``,
      row.fault,
      `${EXIT_CLASSES[row.exit].code} ${row.exit}`,
      inWords(row.template),
      inWords(row.next),
    ]),
  );
}

function metricTable(): string {
  return table(
    ['name', 'type', 'labels', 'means'],
    METRIC_NAMES.map((name) => {
      const { type, labels, help } = METRICS[name];
      return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help];
    }),
  );
}

function configTable(file: ConfigFileKind): string {
  const keys = knownKeys()
    .map((key) => explainKey(key))
    .filter((one) => one !== undefined)
    .filter((one) => one.file === file);
  return table(
    ['key', 'value', 'default', 'means'],
    keys.map((one) => [`\`${one.key}\``, one.type, defaultOf(one), meaningOf(one)].map(inCell)),
  );
}

function defaultOf({ byDefault }: KeyExplanation): string {
  if (byDefault === undefined) return '';
  if (typeof byDefault !== 'object' || byDefault === null) return `\`${byDefault}\``;
  return Object.entries(byDefault)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: \`${value}\``)
    .join(', ');
}

function meaningOf({ description, drivers }: KeyExplanation): string {
  return drivers.length === 0 ? description : `${description} (driver ${drivers.join(', ')})`;
}

function inCell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}

/** `%name%` as readers know it, and safe in a table. */
function inWords(template: string): string {
  return inCell(template.replace(/%([a-z]+)%/gi, '‹$1›'));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableRow(head), tableRow(head.map(() => '---')), ...rows.map(tableRow)].join('\n');
}
