// Started by a person after a change of exit codes or errors: rewrites the tables of the pages
// that are made from the sources. The tests only compare.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureOrFail } from './ensure.mjs';

const root = new URL('..', import.meta.url);

if (await ensureOrFail()) {
  const { GENERATED_TABLES, withTables } = await import(
    new URL('dist/test/support/generated-tables.js', root)
  );
  for (const [page, tables] of Object.entries(GENERATED_TABLES)) {
    const file = fileURLToPath(new URL(page, root));
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
    console.log(`wrote ${page}`);
  }
}
