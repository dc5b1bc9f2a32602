import t from 'tap';
import {
  type Answer,
  decideGuard,
  type GuardAction,
  type GuardFacts,
  type MultiplexerFacts,
  type OwnerFacts,
} from '../../../src/core/guard.js';
import { ownerAt, PLAIN_FACTS } from '../../support/guard-facts.js';

const OWNER = ownerAt(71);

const facts = (changes: Partial<GuardFacts> = {}): GuardFacts => ({ ...PLAIN_FACTS, ...changes });

function owner(changes: Partial<OwnerFacts> = {}): OwnerFacts {
  return { owner: OWNER, liveness: 'alive', answer: 'serving', ...changes };
}

function host(changes: Partial<MultiplexerFacts> = {}): MultiplexerFacts {
  return { ...owner(), served: ['coder'], isMultiplexer: true, hasRescanned: false, ...changes };
}

const FORCE = { force: true, replace: false, supervisedChild: false };
const REPLACE = { force: false, replace: true, supervisedChild: false };
const CHILD = { force: false, replace: false, supervisedChild: true };
const MULTIPLEXES = { multiplexes: true, allowlist: undefined };

/** `start`, `attach`, `rescan`, `replace`, or `permanent because` and `transient because`. */
function decide(changes: Partial<GuardFacts>): string {
  const decision = decideGuard(facts(changes));
  switch (decision.kind) {
    case 'attach':
      return decision.rescanFirst ? 'rescan' : 'attach';
    case 'refuse':
      return `${decision.permanence} ${decision.because}`;
    default:
      return decision.kind;
  }
}

t.test('no flag takes a profile from the process that serves it and holds its lock', async (t) => {
  const held = { own: owner(), multiplexer: host({ hasRescanned: true }) };
  const leaving = { own: owner(), multiplexer: host({ hasRescanned: true, served: [] }) };
  for (const flags of [FORCE, REPLACE, { ...FORCE, replace: true }]) {
    t.equal(decide({ ...held, flags }), 'permanent served');
    t.equal(decide({ ...leaving, flags }), 'transient draining', 'it is let go of');
    const coming = { ...leaving, configuration: MULTIPLEXES };
    t.equal(decide({ ...coming, flags }), 'transient starting', 'it is taken up');
  }
});

t.test('a profile that nobody has starts', async (t) => {
  for (const action of ['run', 'supervise', 'start', 'restart', 'install', 'up'] as const) {
    t.equal(decide({ action }), 'start', action);
  }
});

t.test(
  'a served profile is refused a process and a unit of its own, and counts as started',
  async (t) => {
    const expected: Readonly<Record<Exclude<GuardAction, 'up'>, string>> = {
      run: 'permanent served',
      install: 'permanent served',
      supervise: 'attach',
      start: 'attach',
      restart: 'attach',
    };
    for (const [action, answer] of Object.entries(expected)) {
      t.equal(
        decide({ action: action as GuardAction, multiplexer: host(), configuration: MULTIPLEXES }),
        answer,
        action,
      );
    }
    t.equal(decide({ multiplexer: host(), flags: FORCE }), 'start', 'unless it is forced');
    t.equal(
      decide({ multiplexer: host(), configuration: MULTIPLEXES, flags: REPLACE }),
      'permanent served',
      'not its own to end',
    );
    t.equal(
      decide({ multiplexer: host(), configuration: MULTIPLEXES, flags: CHILD }),
      'permanent served',
      'also a child',
    );
    t.equal(decide({ multiplexer: host({ liveness: 'dead' }) }), 'start', 'by the dead: nobody');
    t.equal(decide({ profile: 'default', multiplexer: host({ served: ['default'] }) }), 'start');
  },
);

t.test('the live record beats the configuration, both ways', async (t) => {
  const configuration = { multiplexes: false, allowlist: [] };
  t.equal(decide({ multiplexer: host(), configuration }), 'rescan', 'it may let go of it');
  const still = { multiplexer: host({ hasRescanned: true }), configuration };
  t.equal(decide(still), 'permanent served', 'it serves although the file says no');
  const alone = host({ isMultiplexer: false, served: [] });
  t.equal(decide({ multiplexer: alone, configuration: MULTIPLEXES }), 'start');
});

t.test('a standalone owner of default refuses nobody, whatever it answers', async (t) => {
  for (const answer of ['serving', 'starting', 'draining', 'silent'] as const) {
    const multiplexer = host({ isMultiplexer: false, served: [], answer });
    t.equal(decide({ multiplexer, configuration: MULTIPLEXES }), 'start', answer);
  }
});

t.test('an empty list of served profiles is an answer', async (t) => {
  const multiplexer = host({ served: [] });
  t.equal(decide({ multiplexer }), 'start');
  const denied = { multiplexes: true, allowlist: ['other'] };
  t.equal(decide({ multiplexer, configuration: denied }), 'start', 'not allowed: runs beside');
});

t.test('a multiplexer that does not serve an allowed profile yet looks again first', async (t) => {
  const facts = { action: 'start', configuration: MULTIPLEXES } as const;
  t.equal(decide({ ...facts, multiplexer: host({ served: [] }) }), 'rescan');
  const again = host({ served: [], hasRescanned: true });
  t.equal(decide({ ...facts, multiplexer: again }), 'permanent not-taken');
  const silent = host({ served: [], answer: 'silent' });
  t.equal(decide({ ...facts, multiplexer: silent }), 'transient multiplexer-silent');
});

t.test('who it serves is unknown: asked again, never guessed', async (t) => {
  const multiplexer = host({ isMultiplexer: undefined, served: undefined, answer: 'silent' });
  const asked = { multiplexer, configuration: MULTIPLEXES };
  t.equal(decide(asked), 'transient multiplexer-silent');
  t.equal(decide({ multiplexer }), 'start', 'no configuration ever spoke of serving');
});

t.test('a supervisor or a manager that runs it already would only start it again', async (t) => {
  t.equal(decide({ supervisor: OWNER }), 'permanent supervised');
  t.equal(decide({ supervisor: OWNER, flags: REPLACE }), 'permanent supervised');
  t.equal(decide({ supervisor: OWNER, flags: FORCE }), 'permanent supervised');
  t.equal(decide({ supervisor: OWNER, flags: CHILD }), 'start');
  const own = owner();
  const managedBy = { name: 'a.service', stopWith: 'systemctl stop a.service' };
  t.equal(decide({ own, managedBy }), 'permanent running', 'nothing was to be ended');
  t.equal(decide({ own, managedBy, flags: REPLACE }), 'transient managed');
  t.equal(decide({ own, managedBy, flags: { ...REPLACE, force: true } }), 'replace');
  t.equal(decide({ managedBy, flags: CHILD }), 'start');
});

t.test('an owner of its lock: healthy is for good, anything else may pass', async (t) => {
  const answers: Readonly<Record<Answer, string>> = {
    serving: 'permanent running',
    starting: 'transient starting',
    draining: 'transient draining',
    silent: 'transient silent',
  };
  for (const [answer, expected] of Object.entries(answers)) {
    const own = owner({ answer: answer as Answer });
    t.equal(decide({ own }), expected, answer);
    t.equal(decide({ own, flags: FORCE }), expected, `${answer}: the lock is not forced`);
    t.equal(decide({ action: 'up', profile: undefined, own }), expected, `up: ${answer}`);
    t.equal(decide({ own, flags: REPLACE }), 'replace', `${answer}: --replace`);
  }
  t.equal(decide({ own: owner({ liveness: 'dead' }) }), 'start');
});

t.test('what cannot be seen or named is never ended', async (t) => {
  t.equal(decide({ own: owner({ liveness: 'elsewhere' }), flags: REPLACE }), 'transient elsewhere');
  t.equal(decide({ own: owner({ liveness: 'unknown' }), flags: REPLACE }), 'permanent running');
  t.equal(
    decide({ own: owner({ owner: undefined, answer: 'starting' }), flags: REPLACE }),
    'transient starting',
  );
  t.equal(decide({ own: owner(), flags: REPLACE, isOwnAncestor: true }), 'permanent running');
});
