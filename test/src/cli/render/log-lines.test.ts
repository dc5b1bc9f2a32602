import t from 'tap';
import { PLAIN } from '../../../../src/cli/paint.js';
import { readableLine } from '../../../../src/cli/render/foreign-line.js';
import {
  isSince,
  parseEntry,
  renderEntry,
  renderEntryJson,
} from '../../../../src/cli/render/log-lines.js';

const AT = '2026-01-31T12:00:00.000Z';
const view = {
  nowMs: Date.parse(AT),
  paint: PLAIN,
  prettify: (record: object) => JSON.stringify(record),
};

t.test("a child's line is shown as it is, after its time, without escapes", async (t) => {
  const entry = parseEntry(`${AT} err \u001b[31mTraceback\u001b[0m  {"a":1}`);
  t.match(entry, { kind: 'text', stream: 'err', atMs: Date.parse(AT) });
  t.match(renderEntry(entry, view), /^\d\d:\d\d:\d\d Traceback {2}\{"a":1\}$/);
});

t.test('a record is made readable wherever it stands', async (t) => {
  const record = `{"level":30,"time":1795979311686,"msg":"drained \\u001b[2J"}`;
  for (const line of [record, `${AT} out ${record}`]) {
    const entry = parseEntry(line);
    t.equal(entry.kind, 'record');
    t.equal(renderEntry(entry, view), '{"level":30,"time":1795979311686,"msg":"drained "}');
    t.equal(renderEntryJson(entry), record, 'programs get it untouched');
  }
});

t.test('JSON that is no record stays text', async (t) => {
  for (const text of ['{"a":1}', '{', '[]', 'null']) {
    t.match(parseEntry(`${AT} out ${text}`), { kind: 'text', text });
  }
});

t.test('a line without a time is as old as the one before it', async (t) => {
  const sinceMs = Date.parse(AT);
  t.equal(isSince(parseEntry('  at foo.js:1'), sinceMs, sinceMs + 1), true);
  t.equal(isSince(parseEntry('  at foo.js:1'), sinceMs, sinceMs - 1), false);
  t.equal(isSince(parseEntry('  at foo.js:1'), sinceMs, undefined), false);
  t.equal(isSince(parseEntry(`${AT} out x`), sinceMs, undefined), true);
});

t.test('a record in a sentence is its message and fields', async (t) => {
  t.equal(
    readableLine('{"level":30,"time":1,"pid":7,"profile":"x","reason":"stop","msg":"drained"}'),
    'x: drained reason=stop',
  );
  t.equal(readableLine("KeyError: 'TOKEN'"), "KeyError: 'TOKEN'");
});
