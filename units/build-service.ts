import { envFilePath, launcherPath } from './home-files.js';
import type { Manager } from './managers.js';
import { NOTIFICATION_FD } from './s6/policy.js';
import type { Account, Argv, Service, ServiceBudgets, ServiceLimits, Subject } from './service.js';

export interface ServiceFacts {
  readonly manager: Manager;
  readonly subject: Subject;
  readonly home: string;
  /** whose service it is; in a scope of that account the manager need not be told */
  readonly owner: Account;
  readonly mustBecomeOwner: boolean;
  readonly budgets: ServiceBudgets;
  readonly limits: ServiceLimits;
}

/** The neutral model of a supervisor or of one gateway. */
export function buildService(facts: ServiceFacts): Service {
  const { home, subject, owner } = facts;
  return {
    subject,
    home,
    // a shell by name: an executable's own path may have no quote in it, and the home may be
    // mounted noexec
    argv: ['/bin/sh', launcherPath(home), ...verbOf(subject)],
    afterStop: ['/bin/sh', launcherPath(home), 'reap'],
    env: environmentOf(facts),
    envFile: envFilePath(home),
    account: facts.mustBecomeOwner ? owner : undefined,
    budgets: facts.budgets,
    limits: facts.limits,
  };
}

function verbOf(subject: Subject): Argv {
  return subject.kind === 'supervisor' ? ['up'] : ['gateway', 'run', '--profile', subject.profile];
}

/** Only what does not come from the shell that installs: two installs must be equal. */
function environmentOf({ home, manager, owner, mustBecomeOwner }: ServiceFacts) {
  return {
    GATEWARDEN_HOME: home,
    GATEWARDEN_SUPERVISED: '1',
    PATH: searchPath(owner.home),
    ...(manager === 's6' ? S6_MARKS : {}),
    ...(mustBecomeOwner ? { HOME: owner.home, LOGNAME: owner.name, USER: owner.name } : {}),
  };
}

/** s6 leaves no mark of its own, and tells nobody which descriptor it listens on. */
const S6_MARKS = {
  GATEWARDEN_NOTIFY_FD: String(NOTIFICATION_FD),
  GATEWARDEN_S6_SUPERVISED_CHILD: '1',
};

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The launcher puts Node's own folder in front. */
function searchPath(accountHome: string): string {
  // a colon cannot be said in a search path
  return accountHome.includes(':') ? SYSTEM_PATH : `${accountHome}/.local/bin:${SYSTEM_PATH}`;
}
