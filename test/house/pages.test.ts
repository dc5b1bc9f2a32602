import { existsSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import t from 'tap';
import { EVENT_CODES } from '../../src/core/events.js';
import { packageFile } from '../../src/core/package-root.js';
import { GENERATED_TABLES, withTables } from '../support/generated-tables.js';
import { codesOn } from '../support/pages.js';
import { filesBelow, readSource } from '../support/sources.js';

for (const [page, tables] of Object.entries(GENERATED_TABLES)) {
  t.test(`${page} tells what the sources say (else: npm run pages)`, async (t) => {
    const text = readSource(page);
    for (const name of Object.keys(tables)) t.match(text, `<!-- table: ${name} -->`);
    t.equal(withTables(text, tables), text);
  });
}

t.test('docs/events.md has every event and no other', async (t) => {
  t.strictSame(codesOn('docs/events.md').sort(), [...EVENT_CODES].sort());
});

t.test('a relative link on a page leads to a file', async (t) => {
  const pages = ['README.md', 'CHANGELOG.md', ...filesBelow('docs', '.md')];
  const dangling = pages.flatMap((page) =>
    linksOn(page)
      .filter((link) => !existsSync(packageFile(posix.join(dirname(page), link))))
      .map((link) => `${page} links to ${link}`),
  );
  t.strictSame(dangling, []);
});

function linksOn(page: string): string[] {
  return [...readSource(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^[a-z]+:/.test(link));
}

t.test('every page of docs/ is reached from the README', async (t) => {
  const linked = new Set(linksOn('README.md'));
  t.strictSame(
    filesBelow('docs', '.md').filter((page) => !linked.has(page)),
    [],
  );
});
