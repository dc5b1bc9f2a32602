import fc from 'fast-check';
import t from 'tap';
import { encodeForSystemd, type ManagerNews, toStatusLine } from '../../../src/manager/news.js';

const FACTS = { pid: 4711, monotonicUsec: 123_456_789n };

const CASES: readonly (readonly [ManagerNews, string])[] = [
  [{ code: 'ready', status: '2 ready' }, 'READY=1\nMAINPID=4711\nSTATUS=2 ready\n'],
  [{ code: 'status', status: 'x' }, 'STATUS=x\n'],
  [{ code: 'reloading' }, 'RELOADING=1\nMONOTONIC_USEC=123456789\n'],
  [{ code: 'stopping', status: 'bye' }, 'STOPPING=1\nSTATUS=bye\n'],
  [{ code: 'extend', byMs: 30_000 }, 'EXTEND_TIMEOUT_USEC=30000000\n'],
  [{ code: 'extend', byMs: 0.0001 }, 'EXTEND_TIMEOUT_USEC=1\n'],
  [{ code: 'alive' }, 'WATCHDOG=1\n'],
];

for (const [news, text] of CASES) {
  t.test(`${news.code} is told in systemd's words`, async (t) => {
    t.equal(encodeForSystemd(news, FACTS), text);
  });
}

t.test('whatever a detail holds, it cannot become another assignment', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (detail) => {
      const text = encodeForSystemd({ code: 'status', status: `x ${detail}\nREADY=1` }, FACTS);
      return text.split('\n').length === 2 && text.startsWith('STATUS=');
    }),
  );
  t.equal(toStatusLine('a\r\n\tb\u2028c'), 'a b c');
  t.equal(toStatusLine('x'.repeat(1000)).length, 300);
});
