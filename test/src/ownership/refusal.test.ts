import t from 'tap';
import {
  decideGuard,
  type GuardFacts,
  type MultiplexerFacts,
  type OwnerFacts,
} from '../../../src/core/guard.js';
import { factsAfter, remediesOf } from '../../../src/core/remedies.js';
import { refusalError, tellRemedies } from '../../../src/ownership/refusal.js';
import { ownerAt, PLAIN_FACTS } from '../../support/guard-facts.js';

const OWNER = ownerAt(71);
const HOST = ownerAt(72);
const WORDS = { path: '/h/gateway.lock', profile: 'coder' };
const UNIT = { name: 'gatewarden-x.service', stopWith: 'systemctl stop gatewarden-x.service' };

const owned = (changes: Partial<OwnerFacts> = {}): OwnerFacts => ({
  owner: OWNER,
  liveness: 'alive',
  answer: 'serving',
  ...changes,
});
const serving = (changes: Partial<MultiplexerFacts> = {}): MultiplexerFacts => ({
  ...owned({ owner: HOST }),
  served: ['coder'],
  isMultiplexer: true,
  hasRescanned: true,
  ...changes,
});

/** Which verbs have which flags. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  run: ['--replace', '--force'],
  up: ['--replace'],
};

const hasFlagsOf = (action: string, { force, replace }: GuardFacts['flags']): boolean =>
  (!force || FLAGS[action]?.includes('--force') === true) &&
  (!replace || FLAGS[action]?.includes('--replace') === true);

/** Every combination of what the facts may be, flags that are given already too. */
function* everything(): Generator<GuardFacts> {
  const answers = ['serving', 'starting', 'draining', 'silent'] as const;
  const owns = [
    undefined,
    owned({ owner: undefined, liveness: 'unknown', answer: 'starting' }),
    owned({ owner: HOST }),
    ...answers.flatMap((answer) =>
      (['alive', 'unknown', 'elsewhere'] as const).map((liveness) => owned({ answer, liveness })),
    ),
  ];
  const hosts = [
    undefined,
    ...answers.flatMap((answer) => [
      serving({ answer }),
      serving({ answer, served: [] }),
      serving({ answer, served: [], hasRescanned: false }),
      serving({ answer, served: undefined, isMultiplexer: undefined }),
    ]),
  ];
  const flags = [
    PLAIN_FACTS.flags,
    { ...PLAIN_FACTS.flags, force: true },
    { ...PLAIN_FACTS.flags, replace: true },
    { ...PLAIN_FACTS.flags, replace: true, force: true },
    { ...PLAIN_FACTS.flags, supervisedChild: true },
  ];
  const rest = flags.flatMap((flag) =>
    [undefined, OWNER].flatMap((supervisor) =>
      [undefined, UNIT].flatMap((managedBy) =>
        [true, false].flatMap((multiplexes) =>
          [true, false].map((isOwnAncestor) => ({
            flags: flag,
            supervisor,
            managedBy,
            isOwnAncestor,
            configuration: { multiplexes, allowlist: undefined },
          })),
        ),
      ),
    ),
  );
  for (const action of ['run', 'supervise', 'start', 'restart', 'install', 'up'] as const) {
    const profile = action === 'up' ? undefined : 'coder';
    for (const own of owns) {
      for (const multiplexer of hosts) {
        for (const one of rest) {
          if (hasFlagsOf(action, one.flags)) yield { action, profile, own, multiplexer, ...one };
        }
      }
    }
  }
}

t.test('whatever is refused, what the message names turns the refusal around', async (t) => {
  let refused = 0;
  const faults: string[] = [];
  for (const facts of everything()) {
    if (decideGuard(facts).kind !== 'refuse') continue;
    refused += 1;
    const remedies = remediesOf(facts);
    const words = tellRemedies(facts, WORDS);
    const cured = remedies.map((cures) => factsAfter(cures, facts));
    const isCured = cured.every((after) => after && decideGuard(after).kind !== 'refuse');
    const named = words.match(/--(?:replace|force)/g) ?? [];
    const hasFlags = named.every((flag) => FLAGS[facts.action]?.includes(flag));
    const isStopUseful = facts.supervisor !== undefined || !/gatewarden stop/.test(words);
    if (remedies.length === 0 || !isCured || !hasFlags || !isStopUseful) {
      faults.push(`${words}: ${JSON.stringify(facts)}`);
    }
  }
  t.strictSame(faults.slice(0, 3), []);
  t.ok(refused > 1000, `${refused} refusals`);
});

t.test('each flag that a message names is one that the guard obeys', async (t) => {
  for (const facts of everything()) {
    if (decideGuard(facts).kind !== 'refuse') continue;
    for (const words of tellRemedies(facts, WORDS).split(', or ')) {
      // of two that belong together one alone does not help
      if (words.includes(', and ')) continue;
      const replace = words.includes('--replace');
      const force = words.includes('--force');
      if (!replace && !force) continue;
      const isOwnAncestor = facts.isOwnAncestor && !words.includes('outside');
      const flags = {
        ...facts.flags,
        replace: replace || facts.flags.replace,
        force: force || facts.flags.force,
      };
      const decision = decideGuard({ ...facts, flags, isOwnAncestor });
      if (decision.kind === 'refuse') t.fail(`${words}: ${JSON.stringify(facts)}`);
    }
  }
});

t.test('an owner without a supervisor is not to be stopped through one', async (t) => {
  const hint = (changes: Partial<GuardFacts>) =>
    tellRemedies({ ...PLAIN_FACTS, ...changes }, WORDS);
  const own = owned();
  t.equal(hint({ own }), 'take over with --replace, or end pid 71');
  for (const action of ['start', 'restart', 'supervise'] as const) {
    t.equal(hint({ action, own }), 'end pid 71', action);
  }
  t.equal(
    hint({ own, managedBy: UNIT }),
    `end its unit: ${UNIT.stopWith}, or take over with --replace --force`,
  );
  t.equal(hint({ action: 'start', own, managedBy: UNIT }), `end its unit: ${UNIT.stopWith}`);
  t.equal(
    hint({ own: owned({ answer: 'draining' }) }),
    'try again when it is done, or take over with --replace',
  );
  t.equal(
    hint({ own, isOwnAncestor: true }),
    'take over with --replace, from outside of that process',
  );
  t.match(hint({ own: owned({ liveness: 'elsewhere' }) }), /^stop it where it runs/);
  t.match(hint({ own: owned({ owner: undefined, answer: 'starting' }) }), 'fuser /h/gateway.lock');
  t.equal(
    hint({ action: 'up', profile: undefined, own }),
    'take over with: gatewarden up --replace, or end pid 71',
  );
});

t.test('what a supervisor runs or serves is to be had through that', async (t) => {
  const hint = (changes: Partial<GuardFacts>) =>
    tellRemedies({ ...PLAIN_FACTS, ...changes }, WORDS);
  t.equal(hint({ supervisor: HOST, own: owned() }), 'end it with: gatewarden stop coder');
  const multiplexer = serving();
  const configuration = { multiplexes: true, allowlist: undefined };
  const served = { multiplexer, configuration, own: owned({ owner: HOST }) };
  const out = 'keep coder out of gateway.multiplex_profile_allowlist';
  t.equal(hint(served), out, 'no flag takes a lock from who serves it');
  t.equal(
    hint({ ...served, supervisor: HOST }),
    `${out}, then: gatewarden reload, and: gatewarden stop coder`,
  );
  const parked = refusalError(
    { kind: 'refuse', permanence: 'permanent', because: 'running', by: OWNER },
    { ...WORDS, waitedMs: 0, facts: { ...PLAIN_FACTS, action: 'supervise', own: owned() } },
  );
  t.equal(parked.next, 'end pid 71, then: gatewarden start coder');
});
