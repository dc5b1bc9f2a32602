/** What runs us (design §2); a terminal is whatever leaves no mark. */
export type ManagerKind = 'systemd' | 's6' | 'launchd' | 'container' | 'terminal';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BirthFacts {
  readonly env: Environment;
  readonly pid: number;
  readonly isContainer: boolean;
}

/** Who started us, told by the marks that each manager leaves (supervision.md 2.12). */
export function managerOf({ env, pid, isContainer }: BirthFacts): ManagerKind {
  if (isOfSystemd(env, pid)) return 'systemd';
  if (has(env.GATEWARDEN_S6_SUPERVISED_CHILD) || has(env.GATEWARDEN_NOTIFY_FD)) return 's6';
  if (has(env.XPC_SERVICE_NAME) && env.XPC_SERVICE_NAME !== '0') return 'launchd';
  return isContainer ? 'container' : 'terminal';
}

/**
 * INVOCATION_ID reaches everything below a unit, such as the shells of a user's session: where
 * systemd also tells the pid it started, that decides.
 */
function isOfSystemd(env: Environment, pid: number): boolean {
  if (has(env.NOTIFY_SOCKET)) return true;
  if (has(env.SYSTEMD_EXEC_PID)) return Number(env.SYSTEMD_EXEC_PID) === pid;
  return has(env.INVOCATION_ID);
}

function has(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
