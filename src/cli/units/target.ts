import { homedir } from 'node:os';
import { join } from 'node:path';
import { findAccount } from '../../../units/accounts.js';
import { managerFolder } from '../../../units/folders.js';
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
  const { owner, mustBecomeOwner } = await chooseOwner(manager, scope, { invocation, env });
  const usualHome = join(owner.home, '.gatewarden');
  const home = chooseHome(context.home, env, usualHome);
  const out = textOption(invocation, 'out');
  return {
    manager,
    scope,
    home,
    usualHome,
    owner,
    mustBecomeOwner,
    subjects: chooseSubjects(invocation, home),
    folder: out ?? managerFolder(manager, scope, { env, accountHome: owner.home }),
    isElsewhere: out !== undefined,
  };
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
  readonly invocation: Invocation;
  readonly env: Environment;
}

async function chooseOwner(manager: Manager, scope: Scope, { invocation, env }: OwnerFacts) {
  const runAs = textOption(invocation, 'run-as');
  if (scope === 'user' || (manager === 's6' && runAs === undefined)) {
    if (runAs !== undefined) {
      throw new GatewardenError('bad-argument', {
        expected: 'expected --run-as only with --system',
        got: `--run-as ${runAs} in user scope`,
        hint: 'add --system, or run it as that account',
      });
    }
    return { owner: await ownAccount(env), mustBecomeOwner: false };
  }
  const name = runAs ?? env.SUDO_USER ?? env.USER ?? env.LOGNAME ?? 'root';
  const owner = await findAccount({ name });
  if (owner.uid === 0 && runAs === undefined) throw new GatewardenError('run-as-root');
  // s6-svscan may run as the account itself, and root need not become root
  return { owner, mustBecomeOwner: manager !== 's6' || owner.uid !== 0 };
}

/** HOME decides about files as it does for every other program of the account. */
async function ownAccount(env: Environment): Promise<Account> {
  const account = await findAccount({ uid: process.getuid?.() ?? 0 });
  return { ...account, home: env.HOME?.startsWith('/') ? env.HOME : homedir() };
}

/**
 * sudo keeps neither GATEWARDEN_HOME nor HOME: what nobody chose is the home of the service's
 * account, not root's.
 */
function chooseHome(home: string, env: Environment, usualHome: string): string {
  const isChosen = home !== resolveHome(undefined, { HOME: env.HOME });
  return isChosen ? home : usualHome;
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
