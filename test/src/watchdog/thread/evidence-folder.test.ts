import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import {
  evidenceName,
  planEviction,
  writeEvidence,
} from '../../../../src/watchdog/thread/evidence-folder.js';
import { mountTinyDisk, tinyDiskMissing } from '../../../support/tiny-disk.js';

const LIMITS = { files: 3, bytes: 100 };

t.test('the oldest go first, by count and by bytes, and what is new always fits', async (t) => {
  const kept = ['c', 'a', 'b'].map((name) => ({ name, bytes: 10 }));
  t.strictSame(planEviction(kept, 10, LIMITS), ['a']);
  t.strictSame(planEviction(kept, 85, LIMITS), ['b', 'a']);
  t.strictSame(planEviction(kept, 1000, LIMITS), ['c', 'b', 'a']);
  t.strictSame(planEviction([], 1000, LIMITS), []);
  t.strictSame(planEviction(kept.slice(0, 2), 10, LIMITS), []);
});

t.test('a folder is private, keeps twenty of ours, and strangers are left alone', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gw-evidence-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const folder = join(directory, 'evidence');
  const write = (second: number) =>
    writeEvidence(folder, evidenceName('stall', new Date(second * 1000), 7), `${second}`);
  const first = write(0);
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  // a kill came between the draft and its name
  writeFileSync(`${first}.new`, '{"half');
  for (let second = 1; second < 25; second++) write(second);
  const names = readdirSync(folder);
  t.equal(names.length, 21);
  t.ok(names.includes('notes.txt'));
  t.notOk(
    names.some((name) => first.endsWith(name) || name.endsWith('.new')),
    'the oldest is gone, and so is the draft',
  );
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(write(30)).mode & 0o777, 0o600);
});

t.test('a full disk leaves no empty draft', { skip: tinyDiskMissing() }, async (t) => {
  const disk = mountTinyDisk(t, 64);
  const folder = join(disk.path, 'evidence');
  const name = (second: number) => evidenceName('stall', new Date(second * 1000), 7);
  writeEvidence(folder, name(0), 'whole');
  disk.fill();
  t.throws(() => writeEvidence(folder, name(1), 'x'.repeat(8192)), { code: 'ENOSPC' });
  t.strictSame(readdirSync(folder), [name(0)]);
});
