import fc from 'fast-check';
import t from 'tap';
import {
  CUT_MARK,
  LineRate,
  LineRing,
  LineSplitter,
  parseLogLine,
  renderLogLine,
} from '../../../src/observability/index.js';

t.test('lines are the same however the bytes are cut', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'ä', '€', '😀', '\n', '\r\n', ' '), { maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(8)), (parts, cuts) => {
      const bytes = Buffer.from(parts.join(''));
      const splitter = new LineSplitter();
      const lines: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        lines.push(...splitter.push(bytes.subarray(at, at + cut)));
        at += cut;
      }
      lines.push(...splitter.push(bytes.subarray(at)));
      const last = splitter.flush();
      if (last !== undefined) lines.push(last);
      const expected = parts
        .join('')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''));
      // an unfinished line that holds nothing is none
      if (parts.join('').split('\n').at(-1) === '') expected.pop();
      t.strictSame(lines, expected);
    }),
  );
});

t.test('a line without an end is cut, marked, and costs no more memory', async (t) => {
  const splitter = new LineSplitter(10);
  const lines: string[] = [];
  for (let count = 0; count < 1000; count++)
    lines.push(...splitter.push(Buffer.from('x'.repeat(100))));
  t.strictSame(lines, [`${'x'.repeat(10)}${CUT_MARK}`]);
  t.strictSame(splitter.push(Buffer.from('rest\nnext\n')), ['next']);
  t.strictSame(splitter.push(Buffer.from(`${'y'.repeat(10)}\r\n`)), ['y'.repeat(10)], 'fits');
  t.strictSame(splitter.push(Buffer.from(`${'z'.repeat(9)}😀\n`)), [`${'z'.repeat(9)}${CUT_MARK}`]);
  t.equal(splitter.flush(), undefined);
});

t.test('a flood of lines is let through at its rate, counted, and told now and then', async (t) => {
  const rate = new LineRate({ linesPerSecond: 100, burstLines: 10, reportEveryMs: 1000 });
  let admitted = 0;
  let told = 0;
  const reports: number[] = [];
  for (let now = 0; now < 10_000; now++) {
    for (let count = 0; count < 5; count++) if (rate.admit(now)) admitted++;
    const dropped = rate.takeDropped(now);
    if (dropped === undefined) continue;
    told += dropped;
    reports.push(now);
  }
  told += rate.takeAllDropped() ?? 0;
  t.ok(admitted >= 1000 && admitted <= 1011, `${admitted} admitted`);
  t.equal(admitted + told, 50_000, 'each line is either kept or told as dropped');
  t.equal(rate.droppedTotal, told);
  t.ok(reports.length >= 8 && reports.length <= 10, `${reports.length} reports`);
});

t.test(
  'a rate of 0 lets everything through, and a clock set back drops nothing more',
  async (t) => {
    const free = new LineRate({ linesPerSecond: 0 });
    t.ok(Array.from({ length: 1000 }).every(() => free.admit(0)));
    const rate = new LineRate({ linesPerSecond: 10, burstLines: 1 });
    t.ok(rate.admit(100_000));
    t.notOk(rate.admit(50_000));
    t.ok(rate.admit(50_200), 'it goes on from the new time');
    t.equal(rate.takeDropped(0), 1);
  },
);

t.test('a ring keeps the newest lines within both bounds', async (t) => {
  const ring = new LineRing({ maxLines: 3, maxBytes: 20 });
  for (const line of ['one', 'two', 'three', 'four']) ring.push(line);
  t.strictSame(ring.lines(), ['two', 'three', 'four']);
  ring.push('€'.repeat(5));
  t.strictSame(ring.lines(), ['four', '€'.repeat(5)]);
  ring.push('x'.repeat(50));
  t.strictSame(ring.lines(), ['x'.repeat(50)], 'the newest is kept whatever its size');
  t.equal(ring.bytes, 50);
  ring.clear();
  t.strictSame(ring.lines(), []);
});

t.test('a log line can be read back', async (t) => {
  for (const text of ['hello', '', ' a b ', 'out err', '2020-01-01T00:00:00.000Z out x']) {
    const line = { at: 1_700_000_000_123, stream: 'err', text } as const;
    t.strictSame(parseLogLine(renderLogLine(line)), line);
  }
  t.equal(parseLogLine('no time'), undefined);
});
