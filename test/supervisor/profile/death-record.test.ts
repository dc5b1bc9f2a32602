import t from 'tap';
import type { ExitEvidence } from '../../../src/core/death.js';
import { NO_EVIDENCE } from '../../../src/core/death.js';
import { EXIT } from '../../../src/core/exit-codes.js';
import type { GenerationExit } from '../../../supervisor/generation/generation.js';
import {
  type DeathFacts,
  recordDeath,
  witnessedBy,
} from '../../../supervisor/profile/death-record.js';
import { aDeath } from '../../support/deaths.js';

const KILLED: GenerationExit = {
  outcome: { kind: 'signal', signal: 'SIGKILL' },
  at: 40_000,
  spawnError: undefined,
};

function facts(evidence: Partial<ExitEvidence>, others: Partial<DeathFacts> = {}): DeathFacts {
  return {
    profile: 'one',
    generation: 1,
    pid: 4711,
    spawnedAt: 1000,
    readyAt: 2000,
    deadlineAt: 61_000,
    phase: undefined,
    evidence: { ...NO_EVIDENCE, ...evidence },
    farewell: undefined,
    watch: undefined,
    lostBecause: undefined,
    stop: undefined,
    lastLine: 'serving as ever',
    ...others,
  };
}

/** over by the time of the kill */
const OVER = { askedAt: 11_000, killAt: 39_000 };

const GUARD = {
  code: 'evidence',
  kind: 'stop-timeout',
  path: '/evidence/one.json',
  unwritten: undefined,
  where: 'in waitForEver (hook.js:3)',
  lateMs: 0,
  fatal: true,
} as const;

t.test('evidence that could not be written is said to be missing, and why', async (t) => {
  const watch = { ...GUARD, path: undefined, unwritten: 'ENOSPC: no space left on device' };
  const { detail, evidence } = recordDeath(facts({ askedToStop: true }, { watch }), KILLED);
  t.match(detail, /waitForEver.*; the evidence could not be written: ENOSPC/);
  t.equal(evidence, undefined);
});

t.test('a guest dies of what its server died of, with its evidence', async (t) => {
  const server = aDeath({
    profile: 'default',
    outcome: KILLED.outcome,
    cause: 'stall',
    detail: 'its event loop stood still for 6s: blocked in spin (/x.js:1:2)',
    evidence: '/evidence/one.json',
  });
  const end = (asked: Parameters<typeof facts>[0], cause = server.cause) =>
    recordDeath(facts(asked), { ...KILLED, server: { ...server, cause } });
  t.match(end({}), {
    outcome: KILLED.outcome,
    cause: 'stall',
    evidence: '/evidence/one.json',
    servedBy: 'default',
    detail:
      'the gateway of default, which served it, ended (SIGKILL): its event loop stood still for 6s: blocked in spin (/x.js:1:2)',
  });
  t.equal(end({ askedToStop: true }).cause, 'asked');
  t.equal(end({ askedToRestart: true }).cause, 'planned');
  t.equal(end({}, 'asked').cause, 'planned', 'its server was stopped, and not it');
  t.equal(end({}, 'oom').cause, 'oom');
});

t.test('a restart that overstayed its budget is the restart asked for, and says so', async (t) => {
  const death = recordDeath(facts({ askedToRestart: true }, { stop: OVER }), KILLED);
  t.match(death, {
    cause: 'planned',
    outcome: { kind: 'signal', signal: 'SIGKILL' },
    detail: 'it had not ended 28s after it was asked to, so the supervisor killed it',
  });
});

t.test('a part of another process that does not let go of it was not killed', async (t) => {
  const words = 'the gateway of default, which served it, does not let go of it';
  const farewell = { detail: words, remedy: 'gatewarden restart default' };
  const unseen = { ...KILLED, outcome: { kind: 'unseen' } } as const;
  const timeout = recordDeath(facts({ killedFor: 'start-timeout' }, { farewell }), unseen);
  t.match(timeout, { cause: 'start-timeout', outcome: { kind: 'unseen' } });
  t.match(timeout.detail, /^not ready within .*; the gateway of default.* does not let go of it$/);
  t.match(recordDeath(facts({ askedToStop: true }, { farewell }), unseen), {
    cause: 'asked',
    detail: words,
  });
  t.equal(recordDeath(facts({ askedToRestart: true }, { farewell }), unseen).cause, 'planned');
});

t.test('one that its own guard ended names where it hung, with the evidence', async (t) => {
  const death = recordDeath(facts({ askedToRestart: true }, { watch: GUARD }), KILLED);
  t.match(death, {
    cause: 'planned',
    detail: 'it did not end in time: in waitForEver (hook.js:3)',
    evidence: '/evidence/one.json',
  });
});

t.test(
  'an end in time says nothing about budgets, also one that was nearly too late',
  async (t) => {
    const ended = { ...KILLED, outcome: { kind: 'code', code: EXIT.planned } } as const;
    const late = { stop: OVER };
    const early = { stop: { ...OVER, killAt: 50_000 } };
    const inTime = recordDeath(facts({ askedToRestart: true }, early), KILLED).detail;
    t.notMatch(inTime, /had not ended/);
    t.equal(recordDeath(facts({ askedToRestart: true }, late), ended).detail, undefined);
  },
);

t.test('a kill that nobody asked for is lost, not a restart', async (t) => {
  t.match(recordDeath(facts({}), KILLED), { cause: 'lost', detail: 'serving as ever' });
});

t.test('a guard that a strange signal had armed tells a loop that stood still', async (t) => {
  t.equal(witnessedBy({ ...GUARD, lateMs: 4000 }, true), 'stall');
  t.equal(witnessedBy(GUARD, true), undefined, 'its loop was well, and only its end hung');
  t.equal(witnessedBy({ ...GUARD, lateMs: 4000, fatal: false }, true), undefined);
  const witnessed = facts({ witnessed: 'stall' }, { watch: GUARD });
  t.match(recordDeath(witnessed, KILLED), { cause: 'stall', evidence: GUARD.path });
  const asked = facts({ witnessed: 'stall', askedToStop: true }, { watch: GUARD });
  t.equal(recordDeath(asked, KILLED).cause, 'asked');
});

t.test('a kill by somebody else in the middle of a drain is told as that', async (t) => {
  const stop = { askedAt: 38_000, killAt: 50_000 };
  for (const [asked, cause] of [
    ['askedToRestart', 'planned'],
    ['askedToStop', 'asked'],
  ] as const) {
    t.match(recordDeath(facts({ [asked]: true }, { stop }), KILLED), {
      cause,
      detail:
        'SIGKILL from somebody else ended it 2s after it was asked to end, in the middle of its drain',
    });
  }
  const detailOf = (evidence: Partial<ExitEvidence>, others: Partial<DeathFacts>, exit = KILLED) =>
    recordDeath(facts(evidence, { stop, ...others }), exit).detail ?? '';
  const term = { ...KILLED, outcome: { kind: 'signal', signal: 'SIGTERM' } } as const;
  t.notMatch(detailOf({ askedToStop: true }, {}, term), /somebody else/, 'a program dies of it');
  t.notMatch(detailOf({ askedToStop: true }, { watch: GUARD }), /somebody else/, 'its own guard');
  t.notMatch(detailOf({ witnessed: 'oom' }, {}), /somebody else/, 'the kernel');
});

t.test('our own kill of a silent gateway is not told as a stranger’s', async (t) => {
  const lostBecause = 'its watchdog was silent for 90s';
  t.match(recordDeath(facts({ killedFor: 'lost' }, { lostBecause }), KILLED), {
    cause: 'lost',
    detail: 'the supervisor ended it: its watchdog was silent for 90s',
  });
});
