import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';

function runUnderCollector(file: string, program: string) {
  const collector = pathToFileURL(packageFile('scripts', 'test', 'collect-warnings.mjs'));
  collector.searchParams.set('to', file);
  const env = { ...process.env, NODE_OPTIONS: `--import=${collector.href}` };
  return spawnSync(process.execPath, ['-e', program], { env, encoding: 'utf8' });
}

t.test('a warning of Node is written down, with the stack that says where', async (t) => {
  const file = join(t.testdir(), 'warnings');
  const result = runUnderCollector(file, `process.emitWarning('old', 'DeprecationWarning')`);
  t.equal(result.status, 0, 'the program itself runs on');
  t.match(result.stderr, /DeprecationWarning: old/, 'and still prints the warning');
  t.match(JSON.parse(readFileSync(file, 'utf8')), { stack: /DeprecationWarning: old\n.*at / });
});

t.test('a warning in a child of a child and in a thread is seen too', async (t) => {
  const directory = t.testdir({ 'thread.mjs': `process.emitWarning('thread')` });
  const file = join(directory, 'warnings');
  const inner = `process.emitWarning('inner')`;
  runUnderCollector(
    file,
    `require('child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(inner)}]);
     new (require('worker_threads').Worker)(${JSON.stringify(join(directory, 'thread.mjs'))});`,
  );
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  t.equal(lines.length, 2);
});

t.test('a silent program leaves no file', async (t) => {
  const file = join(t.testdir(), 'warnings');
  runUnderCollector(file, '1');
  t.notOk(existsSync(file));
});
