import t from 'tap';
import { shellcheck, shellcheckMissing } from '../support/shellcheck.js';
import { filesBelow, PRODUCT_FOLDERS, readSource } from '../support/sources.js';

const FOLDERS = [...PRODUCT_FOLDERS, 'bin', 'scripts', '.ci', 'test/fixtures', 's6-overlay'];
const SHEBANG = /^#!(?:\/usr)?\/bin\/(?:env )?(sh|bash|dash)\b/;

const scripts = FOLDERS.flatMap((folder) => filesBelow(folder))
  .map((file) => ({ file, dialect: dialectOf(file) }))
  .filter(({ dialect }) => dialect !== undefined);

function dialectOf(file: string): string | undefined {
  if (/\.(ts|mjs|js|json|yaml|md|py)$/.test(file)) return undefined;
  return SHEBANG.exec(readSource(file))?.[1] ?? (file.endsWith('.sh') ? 'sh' : undefined);
}

const missing = shellcheckMissing();
const mustRun = process.env['GATEWARDEN_REQUIRE_REAL'] === '1';

t.test(
  'shellcheck finds nothing in the shell that we ship',
  {
    skip: missing !== undefined && !mustRun ? missing : false,
  },
  async (t) => {
    t.equal(missing, undefined, 'shellcheck is there');
    t.ok(scripts.length > 0, 'there are scripts to check');
    for (const { file, dialect } of scripts)
      t.equal(shellcheck(readSource(file), dialect), '', file);
  },
);

t.test('a script that another program starts says so at its top', async (t) => {
  const mute = scripts.filter(({ file }) => {
    const [first = '', second = ''] = readSource(file).split('\n');
    return !(first.startsWith('#!') ? second : first).startsWith('#');
  });
  t.strictSame(
    mute.map(({ file }) => file),
    [],
  );
});
