import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t from 'tap';
import {
  currentLogPath,
  followLog,
  RotatingLog,
  rotatedPath,
  tailLog,
} from '../../../src/observability/index.js';
import { mountTinyDisk, tinyDiskMissing } from '../../support/tiny-disk.js';
import { until } from '../../support/until.js';

const noDisk = tinyDiskMissing();

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** Waits until all that was written so far is on disk. */
async function written(path: string, last: string): Promise<void> {
  await until(`${last} is written`, async () => (await tailLog(path, 1))[0] === last);
}

t.test('a log is capped, rotated by rename, and loses no line on the way', async (t) => {
  const path = currentLogPath(join(t.testdir(), 'logs', 'coder'));
  const log = new RotatingLog({ path, maxBytes: 1000, files: 3 });
  for (let n = 0; n < 500; n++) {
    log.writeLine(`line ${n}`);
    if (n % 7 === 0) await written(path, `line ${n}`);
  }
  await log.close();
  const names = readdirSync(join(path, '..')).sort();
  t.strictSame(names, ['current.log', 'current.log.1', 'current.log.2']);
  for (const name of names) t.ok(statSync(join(path, '..', name)).size <= 1000, name);
  const kept = [2, 1, 0].flatMap((index) => linesOf(rotatedPath(path, index)));
  const first = Number(kept[0]?.slice(5));
  t.strictSame(
    kept,
    Array.from({ length: 500 - first }, (_, n) => `line ${first + n}`),
  );
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(log.droppedLines, 0);
});

t.test('many logs opened and closed leave no descriptor', async (t) => {
  const path = currentLogPath(t.testdir());
  const before = openFiles();
  for (let n = 0; n < 200; n++) {
    const log = new RotatingLog({ path, maxBytes: 50, files: 2 });
    for (let line = 0; line < 5; line++) log.writeLine(`a line of some length ${line}`);
    await log.close();
  }
  t.ok(openFiles() <= before + 1, `${openFiles()} against ${before}`);
});

t.test('a log that somebody removed or moved away is begun again', async (t) => {
  const path = currentLogPath(join(t.testdir(), 'logs'));
  const log = new RotatingLog({ path, maxBytes: 1e6, files: 3 });
  log.writeLine('one');
  await written(path, 'one');
  rmSync(path);
  log.writeLine('two');
  await written(path, 'two');
  renameSync(path, `${path}.moved`);
  log.writeLine('three');
  await written(path, 'three');
  rmSync(join(path, '..'), { recursive: true });
  log.writeLine('four');
  await written(path, 'four');
  await log.close();
  t.strictSame(linesOf(path), ['four']);
});

t.test('only one file means that it begins anew', async (t) => {
  const path = currentLogPath(t.testdir());
  const log = new RotatingLog({ path, maxBytes: 100, files: 1 });
  for (let n = 0; n < 100; n++) log.writeLine(`line ${n}`);
  await log.close();
  t.strictSame(readdirSync(join(path, '..')), ['current.log']);
  t.equal(linesOf(path).at(-1), 'line 99');
});

t.test(
  'a full disk drops and counts lines, tells it once, and goes on',
  { skip: noDisk },
  async (t) => {
    const disk = mountTinyDisk(t, 256);
    const failings: string[] = [];
    const resumes: number[] = [];
    const path = join(disk.path, 'current.log');
    const log = new RotatingLog({
      path,
      maxBytes: 100_000,
      files: 2,
      maxBufferedBytes: 8000,
      retryMs: 10,
      onFailing: (detail) => failings.push(detail),
      onResumed: (dropped) => resumes.push(dropped),
    });
    log.writeLine('before');
    await written(path, 'before');
    disk.fill();
    log.writeLine('x'.repeat(6000));
    await until('it fails', () => failings.length === 1);
    for (let n = 0; n < 2000; n++) log.writeLine(`line ${n}`);
    t.ok(log.droppedLines > 900, `${log.droppedLines} dropped`);
    disk.empty();
    await until('it goes on', () => resumes.length === 1);
    log.writeLine('after');
    await written(path, 'after');
    t.match(failings, [/ENOSPC/]);
    t.strictSame(resumes, [log.droppedLines]);
    t.strictSame(linesOf(path).slice(0, 2), ['before', 'x'.repeat(6000)], 'not a byte twice');
    await log.close();
  },
);

t.test('a flood of lines never stops the loop', async (t) => {
  const path = currentLogPath(t.testdir());
  const log = new RotatingLog({ path, maxBytes: 1e6, files: 3 });
  const line = 'x'.repeat(200);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (let batch = 0; batch < 200; batch++) {
    for (let n = 0; n < 500; n++) log.writeLine(line);
    await new Promise((resolve) => setImmediate(resolve));
  }
  delay.disable();
  t.ok(delay.percentile(99) / 1e6 < 200, `p99 ${delay.percentile(99) / 1e6} ms`);
  await log.close(10_000);
  const size = [0, 1, 2].map((index) =>
    statSync(rotatedPath(path, index), { throwIfNoEntry: false }),
  );
  t.ok(size.every((stat) => (stat?.size ?? 0) <= 1e6));
});

t.test('the newest lines are read across rotated files', async (t) => {
  const dir = t.testdir({
    'current.log': 'e\nf\n',
    'current.log.1': 'c\nd\n',
    'current.log.2': `a\n${'b'.repeat(200_000)}\n`,
  });
  const path = currentLogPath(dir);
  t.strictSame(await tailLog(path, 1), ['f']);
  t.strictSame(await tailLog(path, 3), ['d', 'e', 'f']);
  t.strictSame((await tailLog(path, 5))[0]?.length, 200_000);
  t.equal((await tailLog(path, 99)).length, 6);
  t.strictSame(await tailLog(join(dir, 'missing'), 5), []);
});

t.test('who follows a log sees each line once, in order, across rotations', async (t) => {
  const path = currentLogPath(join(t.testdir(), 'later'));
  const log = new RotatingLog({ path, maxBytes: 2000, files: 50 });
  log.writeLine('line 0');
  log.writeLine('line 1');
  await written(path, 'line 1');
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    const options = { signal: stop.signal, pollMs: 5, lastLines: 1 };
    for await (const line of followLog(path, options)) seen.push(line);
  })();
  await until('it has begun', () => seen.length === 1);
  for (let n = 2; n < 1000; n++) {
    log.writeLine(`line ${n}`);
    if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await until('all are seen', () => seen.length >= 999);
  stop.abort();
  await following;
  t.strictSame(
    seen,
    Array.from({ length: 999 }, (_, n) => `line ${n + 1}`),
  );
  t.ok(readdirSync(join(path, '..')).length > 3, 'it was rotated meanwhile');
  await log.close();
});

t.test('following a log that does not exist yet waits for it', async (t) => {
  const path = currentLogPath(t.testdir());
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const line of followLog(path, { signal: stop.signal, pollMs: 5 })) seen.push(line);
  })();
  const log = new RotatingLog({ path, maxBytes: 1000, files: 2 });
  log.writeLine('hello');
  await until('it is seen', () => seen.length === 1);
  stop.abort();
  await following;
  await log.close();
  t.strictSame(seen, ['hello']);
});
