import t from 'tap';
import {
  CLI_EXIT,
  classifyExitCode,
  EXIT,
  EXIT_CLASSES,
  type ExitClass,
  STATUS_EXIT,
} from '../../../src/core/exit-codes.js';

const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);

t.test(
  'each of the 256 codes has one class, and only those of the contract differ from failure',
  async (t) => {
    const contract = new Map(Object.entries(EXIT).map(([name, code]) => [code as number, name]));
    for (const code of ALL_CODES) {
      const wanted = contract.get(code) ?? 'failure';
      if (classifyExitCode(code) !== wanted) t.fail(`${code} is ${classifyExitCode(code)}`);
    }
    t.equal(ALL_CODES.filter((code) => classifyExitCode(code) !== 'failure').length, 5);
  },
);

t.test('the digits of the contract are those that the operating systems know', async (t) => {
  t.strictSame({ ...EXIT }, { done: 0, failure: 1, usage: 64, bug: 70, planned: 75, config: 78 });
});

t.test('a code is compared as a whole number: 21, 100 and 178 are plain failures', async (t) => {
  for (const code of [10, 21, 100, 111, 178, 255]) t.equal(classifyExitCode(code), 'failure');
});

t.test('what no retry can cure is never restarted by any parent that can be told', async (t) => {
  for (const name of ['config', 'usage'] satisfies ExitClass[]) {
    const row = EXIT_CLASSES[name];
    t.strictSame(
      [row.supervisor, row.systemd, row.s6Finish, row.fault],
      ['park', 'prevent', 'permanent', 'operator'],
    );
  }
});

t.test('a planned restart is started at once and counted by nobody', async (t) => {
  const { supervisor, systemd, s6Finish } = EXIT_CLASSES.planned;
  t.strictSame([supervisor, systemd, s6Finish], ['restart-now', 'restart-uncounted', 'restart']);
});

t.test('no two classes share a code, and none is a code that a shell or s6 speaks', async (t) => {
  const codes = Object.values(EXIT_CLASSES).map((row) => row.code as number);
  t.equal(new Set(codes).size, codes.length);
  t.notOk(codes.some((code) => code === 125 || code >= 126));
});

t.test('every answer of status is told apart from the others and from bad usage', async (t) => {
  const codes: number[] = Object.values(STATUS_EXIT);
  t.strictSame(codes, [0, 1, 3, 4]);
  t.notOk(codes.includes(CLI_EXIT.usage) || codes.includes(CLI_EXIT.unfinished));
});

t.test('the tables cannot be changed at run time', async (t) => {
  for (const table of [EXIT, CLI_EXIT, STATUS_EXIT]) t.ok(Object.isFrozen(table));
});
