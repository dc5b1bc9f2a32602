import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { ACCOUNT_NAMES, accountEnvironment } from '../config/child-environment.js';
import type { Account } from '../core/account.js';
import type { GatewayAssignment } from '../core/assignment.js';
import { GatewardenError, messageOf } from '../core/errors.js';
import { packageFile } from '../core/package-root.js';

export type Becoming = Pick<GatewayAssignment, 'account' | 'profile' | 'stateDir'>;

/**
 * Makes this process the account's for good, with every thread that it has: the C library tells
 * them all. Before anything of the profile is opened, because what is open stays open.
 * @throws GatewardenError account-unusable
 */
export function becomeAccount({ account, profile, stateDir }: Becoming): void {
  // in its own process already
  if (account === undefined || process.geteuid?.() === account.uid) return;
  try {
    change(account);
  } catch (thrown) {
    const reason = `the kernel refused it: ${messageOf(thrown)}`;
    const hint = 'give gatewarden the capabilities SETUID and SETGID, or remove user';
    throw unusable({ profile, account, reason, hint });
  }
  for (const name of ACCOUNT_NAMES) delete process.env[name];
  Object.assign(process.env, accountEnvironment(account));
  requireReach({ path: stateDir, mode: constants.R_OK | constants.W_OK | constants.X_OK }, (hint) =>
    unusable({ profile, account, reason: `it cannot work in ${stateDir}`, hint }),
  );
  // parts of us are loaded when they are needed
  const program = packageFile('package.json');
  requireReach({ path: program, mode: constants.R_OK }, (hint) =>
    unusable({ profile, account, reason: `it cannot read this program (${program})`, hint }),
  );
}

/** The groups first: without root there is no way to change them. */
function change({ gid, groups, uid }: Account): void {
  process.setgroups?.([...groups]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getegid?.() !== gid) {
    throw new Error('it is still another account');
  }
}

interface Wanted {
  readonly path: string;
  readonly mode: number;
}

function requireReach({ path, mode }: Wanted, refusal: (hint: string) => GatewardenError): void {
  if (isAllowed(path, mode)) return;
  const blocked = firstBlocked(path);
  throw refusal(
    blocked === undefined
      ? `look at it with: ls -ld ${path}`
      : `let it pass through ${blocked} (chmod o+x ${blocked}), or move what is below it elsewhere`,
  );
}

/** The topmost directory on the way that may not be passed through. */
function firstBlocked(path: string): string | undefined {
  const above: string[] = [];
  for (let at = dirname(path); at !== above[0]; at = dirname(at)) above.unshift(at);
  return above.find((one) => !isAllowed(one, constants.X_OK));
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function unusable(facts: {
  readonly profile: string;
  readonly account: Account;
  readonly reason: string;
  readonly hint: string;
}): GatewardenError {
  const { account, hint, profile, reason } = facts;
  return new GatewardenError('account-unusable', { profile, account: account.name, reason, hint });
}
