import { constants } from 'node:os';
import t from 'tap';
import {
  CAUSES,
  type Cause,
  causeOf,
  describeOutcome,
  type ExitEvidence,
  type ExitOutcome,
  NO_EVIDENCE,
} from '../../../src/core/death.js';
import { EXIT } from '../../../src/core/exit-codes.js';

const SIGNALS = Object.keys(constants.signals);
const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);

const code = (value: number): ExitOutcome => ({ kind: 'code', code: value });
const signal = (name: string): ExitOutcome => ({ kind: 'signal', signal: name });
const given = (evidence: Partial<ExitEvidence>): ExitEvidence => ({ ...NO_EVIDENCE, ...evidence });

/** Every combination of what the supervisor can know. */
const ALL_EVIDENCE: readonly ExitEvidence[] = [true, false].flatMap((askedToStop) =>
  [true, false].flatMap((askedToRestart) =>
    [true, false].flatMap((spawnRefused) =>
      ([undefined, 'stall', 'oom', 'start-timeout', 'lost'] as const).flatMap((killedFor) =>
        ([undefined, 'stall', 'start-timeout', 'oom'] as const).map((witnessed) => ({
          askedToStop,
          askedToRestart,
          spawnRefused,
          killedFor,
          witnessed,
        })),
      ),
    ),
  ),
);

t.test('each code has its cause when nobody asked for anything', async (t) => {
  const special = new Map<number, Cause>([
    [EXIT.done, 'asked'],
    [EXIT.usage, 'usage'],
    [EXIT.bug, 'bug'],
    [EXIT.planned, 'planned'],
    [EXIT.config, 'config'],
  ]);
  for (const value of ALL_CODES) {
    const cause = causeOf(code(value), NO_EVIDENCE);
    if (cause !== (special.get(value) ?? 'failure')) t.fail(`${value} became ${cause}`);
  }
});

t.test('every signal that nobody explains is lost, never a code and never done', async (t) => {
  t.ok(SIGNALS.length > 20);
  for (const name of SIGNALS) t.equal(causeOf(signal(name), NO_EVIDENCE), 'lost', name);
});

t.test('every signal has the cause that its evidence names', async (t) => {
  for (const name of SIGNALS) {
    t.strictSame(
      [
        causeOf(signal(name), given({ witnessed: 'oom' })),
        causeOf(signal(name), given({ witnessed: 'stall' })),
        causeOf(signal(name), given({ witnessed: 'start-timeout' })),
        causeOf(signal(name), given({ witnessed: 'stall', askedToStop: true })),
        causeOf(signal(name), given({ killedFor: 'start-timeout', askedToStop: true })),
        causeOf(signal(name), given({ askedToStop: true })),
        causeOf(signal(name), given({ askedToRestart: true })),
        causeOf(signal(name), given({ askedToStop: true, askedToRestart: true })),
      ],
      ['oom', 'stall', 'start-timeout', 'asked', 'start-timeout', 'asked', 'planned', 'asked'],
      name,
    );
  }
});

t.test('any outcome with any evidence has exactly one known cause', async (t) => {
  const outcomes = [...ALL_CODES.map(code), ...SIGNALS.map(signal)];
  const seen = new Set<Cause>();
  for (const outcome of outcomes) {
    for (const evidence of ALL_EVIDENCE) seen.add(causeOf(outcome, evidence));
  }
  t.strictSame([...seen].sort(), [...CAUSES].sort(), 'and every cause can happen');
});

t.test('a refusal stays a refusal while a stop or a restart was asked', async (t) => {
  for (const evidence of ALL_EVIDENCE.filter((one) => one.killedFor === undefined)) {
    t.equal(causeOf(code(EXIT.config), evidence), 'config');
    if (!evidence.spawnRefused) t.equal(causeOf(code(EXIT.usage), evidence), 'usage');
  }
});

t.test('a stop that was asked beats a restart that was asked before', async (t) => {
  const both = given({ askedToStop: true, askedToRestart: true });
  for (const value of [EXIT.done, EXIT.failure, EXIT.planned, EXIT.bug]) {
    t.equal(causeOf(code(value), both), 'asked');
  }
});

t.test('a program that ends with 0 during a planned restart is started again', async (t) => {
  t.equal(causeOf(code(EXIT.done), given({ askedToRestart: true })), 'planned');
  t.equal(causeOf(code(EXIT.failure), given({ askedToRestart: true })), 'planned');
});

t.test('a spawn that the system refuses for good is a fault of the configuration', async (t) => {
  t.equal(causeOf(code(EXIT.failure), given({ spawnRefused: true })), 'config');
});

t.test('an outcome is told in words an operator knows', async (t) => {
  t.equal(describeOutcome(code(EXIT.config)), 'code 78');
  t.equal(describeOutcome(signal('SIGKILL')), 'SIGKILL');
});
