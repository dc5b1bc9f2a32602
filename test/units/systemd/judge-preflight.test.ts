import t from 'tap';
import {
  judgePreflight,
  type PreflightFacts,
  type UserFacts,
} from '../../../units/systemd/judge-preflight.js';

const MISSING = { path: '/run/user/1000', isOurs: false, hasManager: false };
const USER: UserFacts = {
  name: 'ada',
  uid: 1000,
  set: undefined,
  usual: MISSING,
  isLingering: false,
};
const factsWith = (user: Partial<UserFacts>): PreflightFacts => ({
  platform: 'linux',
  isBooted: true,
  isContainer: false,
  user: { ...USER, ...user },
});
const THERE = { path: '/run/user/1000', isOurs: true, hasManager: true };

t.test('the system manager needs nothing more than to be there', async (t) => {
  const facts = { ...factsWith({}), user: undefined };
  t.strictSame(judgePreflight(facts, false), { kind: 'ready', runtimeDir: undefined });
});

t.test('a runtime directory that another account left is passed over', async (t) => {
  const foreign = { path: '/run/user/0', isOurs: false, hasManager: true };
  const verdict = judgePreflight(factsWith({ set: foreign, usual: THERE }), false);
  t.strictSame(verdict, { kind: 'ready', runtimeDir: '/run/user/1000' });
});

t.test('linger is tried before anything is asked of the operator', async (t) => {
  t.strictSame(judgePreflight(factsWith({}), false), { kind: 'try-linger' });
});

t.test('the cure comes in the order in which it works', async (t) => {
  const remedyOf = (user: Partial<UserFacts>) => {
    const verdict = judgePreflight(factsWith(user), true);
    return verdict.kind === 'missing' ? verdict.remedy : verdict.kind;
  };
  t.equal(
    remedyOf({}),
    'sudo loginctl enable-linger ada, then export XDG_RUNTIME_DIR=/run/user/1000, then the same command again',
  );
  t.equal(
    remedyOf({ isLingering: true, usual: { ...THERE, hasManager: false } }),
    'export XDG_RUNTIME_DIR=/run/user/1000, then install dbus-user-session and log in again, then the same command again',
  );
  const set = { ...THERE, hasManager: false };
  t.equal(
    remedyOf({ isLingering: true, set, usual: set }),
    'install dbus-user-session and log in again, then the same command again',
  );
});

t.test('no such manager here is a result of its own in a container, not a failure', async (t) => {
  const container = { ...factsWith({}), isBooted: false, isContainer: true };
  t.match(judgePreflight(container, false), { kind: 'not-applicable' });
  t.match(judgePreflight({ ...container, isContainer: false }, false), { kind: 'missing' });
  t.match(judgePreflight({ ...container, platform: 'darwin' }, false), {
    kind: 'not-applicable',
    instead: /launchd/,
  });
});
