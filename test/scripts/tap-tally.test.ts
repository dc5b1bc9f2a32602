import t from 'tap';
import { packageFile } from '../../src/core/package-root.js';

interface Tally {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
  failures: { name: string; details: string[] }[];
  line(text: string): void;
}

const { TapTally } = (await import(packageFile('scripts', 'test', 'tap-tally.mjs'))) as {
  TapTally: new () => Tally;
};

function tallyOf(text: string): Tally {
  const tally = new TapTally();
  for (const line of text.split('\n')) tally.line(line);
  return tally;
}

const RUN = `TAP version 14
1..3
# Subtest: a.test.js
    # Subtest: two assertions
        ok 1 - should be equal
        ok 2 - should be equal
        1..2
    ok 1 - two assertions # time=14.35ms

    # Subtest: outer
        ok 1 - should be equal
        # Subtest: inner good
            ok 1 - should be equal
            1..1
        ok 2 - inner good # time=3.125ms

        # Subtest: inner bad
            not ok 1 - should be equal
              ---
              source: |
                ok 7 - this is source text
              ...
            1..1
        not ok 3 - inner bad # time=33.351ms
          ---
          at: somewhere
          ...
        1..3
    not ok 2 - outer # time=46.573ms

    ok 3 - left out # SKIP no systemd
    # Subtest: empty
        1..0
    ok 4 - empty # time=4.313ms
    1..4
not ok 1 - a.test.js # time=106.331ms

# Subtest: crashes.test.js
    1..0 # no tests found
not ok 2 - crashes.test.js # time=3142.223ms
  ---
  exitCode: 1
  ...
# Subtest: good.test.js
    # Subtest: one
        ok 1 - fine
        1..1
    ok 1 - one # time=1ms
    1..1
ok 3 - good.test.js # time=3ms
`;

t.test('counts the innermost named tests, and a file that crashes as one failure', async (t) => {
  const tally = tallyOf(RUN);
  t.equal(tally.passed, 4, 'two assertions, inner good, empty, one');
  t.equal(tally.failed, 2, 'inner bad, crashes.test.js');
});

t.test('names each failure by its path and keeps what it said', async (t) => {
  t.strictSame(tallyOf(RUN).failures, [
    {
      name: 'a.test.js > outer > inner bad > should be equal',
      details: ['source: |', '  ok 7 - this is source text'],
    },
    { name: 'crashes.test.js', details: ['exitCode: 1'] },
  ]);
});

t.test('keeps the reason of a skipped test', async (t) => {
  t.strictSame(tallyOf(RUN).skipped, [{ name: 'a.test.js > left out', reason: 'no systemd' }]);
});

t.test('counts an outer test that fails by its own assertion', async (t) => {
  const tally = tallyOf(`# Subtest: f
    # Subtest: outer
        # Subtest: inner
            ok 1 - fine
            1..1
        ok 1 - inner # time=1ms
        not ok 2 - after the inner one
        1..2
    not ok 1 - outer # time=1ms
    1..1
not ok 1 - f # time=1ms`);
  t.equal(tally.passed, 1);
  t.equal(tally.failed, 1);
  t.equal(tally.failures[0]?.name, 'f > outer > after the inner one');
});
