import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
]);

interface LockEntry {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const lock: { packages: Record<string, LockEntry> } = JSON.parse(
  readFileSync(packageFile('package-lock.json'), 'utf8'),
);

/** Folders of every package that a person who runs the product gets. */
const production = Object.entries(lock.packages)
  .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
  .map(([path]) => path)
  .filter((path) => existsSync(packageFile(path)));

t.test('every package that we ship with has a permissive licence', async (t) => {
  t.ok(production.length > 10, 'the production tree was found');
  const others = production
    .map((path) => ({ path, licence: licenceOf(path) }))
    .filter(({ licence }) => !isPermissive(licence));
  t.strictSame(others, []);
});

t.test('the judge of licences refuses copyleft and silence', async (t) => {
  for (const good of [
    'MIT',
    '(MIT OR GPL-3.0)',
    'MIT AND ISC',
    '(BSD-2-Clause OR MIT OR Apache-2.0)',
  ])
    t.ok(isPermissive(good), good);
  for (const bad of ['AGPL-3.0', 'GPL-2.0-only', 'MIT AND LGPL-3.0', 'SEE LICENSE IN X', ''])
    t.notOk(isPermissive(bad), bad);
});

function licenceOf(path: string): string {
  const { license, licenses } = JSON.parse(
    readFileSync(packageFile(path, 'package.json'), 'utf8'),
  ) as { license?: string | { type: string }; licenses?: { type: string }[] };
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map((one) => one.type).join(' OR ') ?? licenceByText(path);
}

/** Old packages name their licence only by shipping its text. */
function licenceByText(path: string): string {
  const file = ['LICENSE', 'LICENCE'].map((name) => packageFile(path, name)).find(existsSync);
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  return /Permission is hereby granted,? free of charge/.test(text) ? 'MIT' : '';
}

function isPermissive(expression: string): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((one) => PERMISSIVE.has(one.trim())));
}
