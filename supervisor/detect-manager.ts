import type { SupervisorStatus } from '../src/core/status.js';

/** Who started us, told by the marks that each manager leaves (supervision.md 2.12). */
export function managerOf(
  env: Readonly<Record<string, string | undefined>>,
  isContainer: boolean,
): SupervisorStatus['manager'] {
  if (env.INVOCATION_ID !== undefined) return 'systemd';
  if (env.GATEWARDEN_S6_SUPERVISED_CHILD !== undefined) return 's6';
  if (env.XPC_SERVICE_NAME !== undefined && env.XPC_SERVICE_NAME !== '0') return 'launchd';
  return isContainer ? 'container' : 'terminal';
}
