import { homedir } from 'node:os';
import { join } from 'node:path';
import { findAccount } from '../../../units/accounts.js';
import { managerFolder } from '../../../units/folders.js';
import { readInstalled } from '../../../units/installed.js';
import type { Manager, Scope } from '../../../units/managers.js';
import type { Account, Subject } from '../../../units/service.js';
import { type Environment, resolveHome } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { knownProfiles } from '../known-profiles.js';
import { type Context, hasFlag, type Invocation, textOption } from '../verb.js';

/** Which units a command line means, of which manager, for whom. */
export interface Target {
  readonly manager: Manager;
  readonly scope: Scope;
  readonly home: string;
  /** the home that owns the names without a hash */
  readonly usualHome: string;
  /** whose service it is */
  readonly owner: Account;
  /** somebody named it, now or when the unit was installed */
  readonly isOwnerChosen: boolean;
  /** the manager runs as somebody else and has to be told */
  readonly mustBecomeOwner: boolean;
  readonly subjects: readonly Subject[];
  readonly folder: string;
  /** the files are for somebody else to use: the manager is neither asked nor told */
  readonly isElsewhere: boolean;
}

/** @throws GatewardenError bad-argument, account-unknown, run-as-root */
export async function readTarget(invocation: Invocation, context: Context): Promise<Target> {
  const { env } = context;
  const manager = invocation.words[0] as Manager;
  const scope = readScope(invocation);
  const out = readOut(invocation);
  const pins = readPins(manager, scope, { env, isReal: out === undefined });
  const isChosen = context.home !== resolveHome(undefined, { HOME: env.HOME });
  const runAs = textOption(invocation, 'run-as');
  // slots have no hash in their names, so none says which home is meant
  const isNamed = isChosen || (manager === 's6' && runAs === undefined);
  const known = isNamed ? context.home : pins.bareHome;
  const facts = { runAs, pinned: pins.accountOf(known), env };
  const { owner, mustBecomeOwner } = await chooseOwner(manager, scope, facts);
  const usualHome = pins.bareHome ?? join(owner.home, '.gatewarden');
  const home = known ?? usualHome;
  return {
    manager,
    scope,
    home,
    usualHome,
    owner,
    mustBecomeOwner,
    isOwnerChosen: (facts.runAs ?? facts.pinned) !== undefined,
    subjects: chooseSubjects(invocation, home),
    folder: out ?? managerFolder(manager, scope, { env, accountHome: owner.home }),
    isElsewhere: out !== undefined,
  };
}

/** What units of the host say already: sudo keeps neither GATEWARDEN_HOME nor HOME. */
interface Pins {
  /** the home of the unit whose name has no hash: such names are its own */
  readonly bareHome: string | undefined;
  readonly accountOf: (home: string | undefined) => string | undefined;
}

interface PinFacts {
  readonly env: Environment;
  /** not files for somebody else to use */
  readonly isReal: boolean;
}

const BARE_NAMES = ['gatewarden.service', 'gatewarden-gateway.service'];

function readPins(manager: Manager, scope: Scope, { env, isReal }: PinFacts): Pins {
  const isPinned = manager === 's6' || (manager === 'systemd' && scope === 'system');
  const installed =
    isPinned && isReal
      ? readInstalled(manager, managerFolder(manager, scope, { env, accountHome: '/' }))
      : [];
  const bare = BARE_NAMES.map((name) => installed.find((unit) => unit.name === name));
  return {
    bareHome: bare.find((unit) => unit?.home !== undefined)?.home,
    accountOf: (home) =>
      installed.find((unit) => home !== undefined && unit.home === home)?.service.accountName,
  };
}

/** An empty one is a variable that was not set, and would mean whatever directory this is. */
function readOut(invocation: Invocation): string | undefined {
  const out = textOption(invocation, 'out');
  if (out !== '') return out;
  throw new GatewardenError('bad-argument', {
    expected: 'expected a directory after --out',
    got: "''",
    hint: 'name one, or leave --out away',
  });
}

function readScope(invocation: Invocation): Scope {
  const [user, system] = [hasFlag(invocation, 'user'), hasFlag(invocation, 'system')];
  if (user && system) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected either --user or --system',
      got: 'both',
      hint: 'leave one away',
    });
  }
  if (user || system) return system ? 'system' : 'user';
  return process.getuid?.() === 0 ? 'system' : 'user';
}

interface OwnerFacts {
  readonly runAs: string | undefined;
  /** what the installed unit of this home says */
  readonly pinned: string | undefined;
  readonly env: Environment;
}

async function chooseOwner(manager: Manager, scope: Scope, { runAs, pinned, env }: OwnerFacts) {
  if (scope === 'user' && runAs !== undefined) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected --run-as only with --system',
      got: `--run-as ${runAs} in user scope`,
      hint: 'add --system, or run it as that account',
    });
  }
  // a slot that is there says for whom it was installed, to whoever compares or renews it
  if (manager === 's6' && runAs === undefined && pinned !== undefined) {
    return { owner: await findAccount({ name: pinned }), mustBecomeOwner: true };
  }
  // whoever runs s6-svscan is asked nothing: a container has its own idea of accounts
  if (scope === 'user' || (manager === 's6' && runAs === undefined)) {
    return { owner: await ownAccount(env), mustBecomeOwner: false };
  }
  const chosen = runAs ?? pinned;
  const owner = await findAccount({
    name: chosen ?? env.SUDO_USER ?? env.USER ?? env.LOGNAME ?? 'root',
  });
  if (owner.uid === 0 && chosen === undefined) throw new GatewardenError('run-as-root');
  // s6-svscan may run as the account itself, and root need not become root
  return { owner, mustBecomeOwner: manager !== 's6' || owner.uid !== 0 };
}

/** HOME decides about files as it does for every other program of the account. */
async function ownAccount(env: Environment): Promise<Account> {
  const account = await findAccount({ uid: process.getuid?.() ?? 0 });
  return { ...account, home: env.HOME?.startsWith('/') ? env.HOME : homedir() };
}

function chooseSubjects(invocation: Invocation, home: string): readonly Subject[] {
  const isAll = hasFlag(invocation, 'all-profiles');
  const { profile } = invocation;
  if (isAll && profile !== undefined) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected either --profile or --all-profiles',
      got: 'both',
      hint: 'leave one away',
    });
  }
  if (profile !== undefined) return [{ kind: 'gateway', profile }];
  if (!isAll) return [{ kind: 'supervisor' }];
  return knownProfiles(home).map((name) => ({ kind: 'gateway', profile: name }));
}
