import t from 'tap';
import { productFiles, readSource } from '../support/sources.js';

/** Names that a gateway may read from the environment of its process; its profile's are not among them. */
const GLOBAL_NAMES: readonly string[] = [];

/** Writes down, masked, who may have sent a signal: it takes no setting from there. */
const WITNESS = 'src/gateway/testify.ts';

/** Replaces there what spoke of the account that started it; reads nothing. */
const BECOMES = 'src/gateway/become-account.ts';

const READS = /process\.env(?:\.(\w+)|\[['"](\w+)['"]\])?/g;

t.test('a gateway is told everything by its assignment, and reads no environment', async (t) => {
  const strange = productFiles()
    .filter((file) => file.startsWith('src/gateway/') && file !== WITNESS && file !== BECOMES)
    .flatMap((file) =>
      [...readSource(file).matchAll(READS)]
        .filter(([, dotted, quoted]) => !GLOBAL_NAMES.includes(dotted ?? quoted ?? ''))
        .map(([text]) => `${file}: ${text}`),
    );
  t.strictSame(strange, []);
});
