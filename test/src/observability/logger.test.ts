import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import t from 'tap';
import { packageFile } from '../../../src/core/package-root.js';
import { Secret } from '../../../src/core/secret.js';
import {
  chooseStderrStyle,
  createLogger,
  guardOutput,
  renderForJournal,
  renderForTerminal,
  streamIdOf,
} from '../../../src/observability/index.js';
import { until } from '../../support/until.js';

t.test('a record is JSON in the file and one line on stderr, and shows no secret', async (t) => {
  const file: string[] = [];
  const stderr = new PassThrough();
  const logger = await createLogger({
    level: 'info',
    file: { write: (line) => file.push(line) },
    stderr: { output: guardOutput(stderr), style: 'terminal' },
  });
  const child = logger.child({ profile: 'coder', pid: 42 });
  child.debug('not shown');
  child.info({ token: new Secret('hunter22'), err: new Error('it broke') }, 'died');
  t.equal(file.length, 1);
  const record = JSON.parse(file[0] ?? '');
  t.match(record, { level: 'info', profile: 'coder', pid: 42, msg: 'died', token: '[secret]' });
  t.match(record.err, { message: 'it broke', stack: /Error/ });
  const shown = String(stderr.read());
  t.match(shown, /^\d\d:\d\d:\d\d INFO {2}coder: died token=\[secret\] err="it broke"\n$/);
  t.notMatch(file.join() + shown, 'hunter22');
});

t.test('a person, journald and a program each get their style', async (t) => {
  t.equal(chooseStderrStyle(true, { JOURNAL_STREAM: '8:1' }, '8:1'), 'terminal');
  t.equal(chooseStderrStyle(false, { JOURNAL_STREAM: '8:1' }, '8:1'), 'journal');
  t.equal(chooseStderrStyle(false, { JOURNAL_STREAM: '8:1' }, '8:2'), 'json', 'inherited');
  t.equal(chooseStderrStyle(false, { JOURNAL_STREAM: '8:1' }, undefined), 'json');
  t.equal(chooseStderrStyle(false, {}, '8:1'), 'json');
  const fd = openSync('/dev/null', 'r');
  const { dev, ino } = fstatSync(fd);
  t.equal(streamIdOf(fd), `${dev}:${ino}`);
  closeSync(fd);
  t.equal(streamIdOf(fd), undefined, 'a closed one has none');
  const line = '{"level":"warn","time":"2026-01-02T03:04:05.678Z","msg":"storm","deaths":6}\n';
  t.equal(renderForJournal(line), '<4>storm deaths=6\n');
  t.equal(renderForTerminal(line, false), '03:04:05 WARN  storm deaths=6\n');
  t.match(renderForTerminal(line, true), '\u001b[33m');
  t.equal(renderForTerminal('no record\n', false), 'no record\n');
});

t.test('what a child printed can neither begin a line nor move the cursor', async (t) => {
  const hostile = JSON.stringify({ level: 'info', msg: 'x', text: 'a\n<0>b\u001b[2J\rc' });
  for (const shown of [renderForJournal(hostile), renderForTerminal(hostile, false)]) {
    t.equal(shown.split('\n').length, 2);
    t.notMatch(shown, '\u001b');
    t.notMatch(shown, '\r');
  }
});

for (const gone of ['closed', 'never read'] as const) {
  t.test(`a stderr that is ${gone} neither ends, stops nor loops us`, async (t) => {
    const program = packageFile('dist', 'test', 'fixtures', 'writes-to-broken-stderr.js');
    const child = spawn(process.execPath, [program], { stdio: 'pipe' });
    t.teardown(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await until('it has begun', () => lines.includes('begin'));
    if (gone === 'closed') child.stderr.destroy();
    child.stdin.write('go\n');
    await until('it has written all', () => lines.length === 2);
    t.equal(lines[1], gone === 'closed' ? 'EPIPE true' : 'fine true');
    await until('it ended by itself', () => child.exitCode === 0);
  });
}

t.test('a passing fault of a stream does not silence it', async (t) => {
  const written: string[] = [];
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  const output = guardOutput(stream);
  stream.emit('error', Object.assign(new Error('busy'), { code: 'EAGAIN' }));
  output.write('still here');
  t.strictSame(written, ['still here']);
  stream.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  output.write('not any more');
  t.equal(output.brokenBy, 'EPIPE');
  t.equal(output.dropped, 1);
  t.equal(written.length, 1);
});
