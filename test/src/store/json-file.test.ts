import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readJsonFile, writeJsonFile } from '../../../src/store/index.js';
import { mountTinyDisk, tinyDiskMissing } from '../../support/tiny-disk.js';

const noDisk = tinyDiskMissing();

t.test('a JSON file is replaced whole and only its owner reads it', async (t) => {
  const path = join(t.testdir(), 'x.json');
  writeJsonFile(path, { a: 1 });
  writeJsonFile(path, { a: 2 });
  t.strictSame(readJsonFile(path), { a: 2 });
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.strictSame(readdirSync(join(path, '..')), ['x.json'], 'nothing temporary stays');
});

t.test('what cannot be written leaves the old file and nothing else', async (t) => {
  const path = join(t.testdir(), 'x.json');
  writeJsonFile(path, { a: 1 });
  t.throws(() => writeJsonFile(path, { big: 1n }));
  t.strictSame(readJsonFile(path), { a: 1 });
  t.strictSame(readdirSync(join(path, '..')), ['x.json']);
});

t.test('a full disk leaves the old file and nothing else', { skip: noDisk }, async (t) => {
  const disk = mountTinyDisk(t, 128);
  const path = join(disk.path, 'x.json');
  writeJsonFile(path, { a: 1 });
  disk.fill();
  t.throws(() => writeJsonFile(path, { a: 'x'.repeat(10_000) }), { code: 'ENOSPC' });
  t.equal(readFileSync(path, 'utf8'), '{\n  "a": 1\n}\n');
  t.strictSame(readdirSync(disk.path).sort(), ['ballast', 'x.json']);
});

t.test('a file that is missing, a directory or no JSON reads as nothing', async (t) => {
  const dir = t.testdir({ broken: '{"a":', empty: '' });
  mkdirSync(join(dir, 'directory'));
  for (const name of ['broken', 'empty', 'directory', 'missing']) {
    t.equal(readJsonFile(join(dir, name)), undefined, name);
  }
});
