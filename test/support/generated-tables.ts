import {
  type ConfigFileKind,
  explainKey,
  type KeyExplanation,
  knownKeys,
} from '../../src/config/index.js';
import { ERRORS } from '../../src/core/errors.js';
import { CLI_EXIT, EXIT_CLASSES, STATUS_EXIT } from '../../src/core/exit-codes.js';
import { METRIC_NAMES, METRICS } from '../../src/observability/index.js';
import { tableRow } from './pages.js';
import { verbTables } from './verb-tables.js';

/** Tables of the pages that are made from the sources: `npm run pages` writes them, tests compare. */
export const GENERATED_TABLES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/exit-codes.md': {
    contract: contractTable,
    'command line': () => codeTable(CLI_EXIT, CLI_MEANINGS),
    status: () => codeTable(STATUS_EXIT, STATUS_MEANINGS),
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
