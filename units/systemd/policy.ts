import { codesAnswered } from '../exit-lists.js';

export type SystemdScope = 'user' | 'system';

/** A setting that is the same in every unit, and why it is so. */
export interface PolicyLine {
  readonly section: 'Unit' | 'Service' | 'Install';
  readonly key: string;
  readonly value: string;
  readonly because: string;
}

const prevented = codesAnswered('stay-down', 'prevent').join(' ');
const planned = codesAnswered('restart-uncounted').join(' ');

/** How the unit is started, watched, restarted and ended. */
export const LIFE_POLICY: readonly PolicyLine[] = freeze([
  unit(
    'StartLimitIntervalSec',
    '0',
    'the permanent exit codes stop a loop; a limiter would also stop what recovers by itself',
  ),
  service('Type', 'notify', 'started means: it said so itself'),
  service(
    'NotifyAccess',
    'main',
    'only the supervisor speaks for the unit; a tool that inherits the socket does not',
  ),
  service('Restart', 'always', 'every end that is not listed as permanent is cured by another try'),
  service(
    'RestartSec',
    '5',
    'back-off is the supervisor’s business; this only keeps a broken Node from spinning',
  ),
  service(
    'RestartPreventExitStatus',
    prevented,
    'asked to stop, bad arguments, bad configuration: no retry can help',
  ),
  service(
    'RestartForceExitStatus',
    planned,
    'a planned restart comes back, whatever Restart= is set to in a drop-in',
  ),
  service(
    'SuccessExitStatus',
    planned,
    'a planned restart is no failure: no OnFailure=, no red line',
  ),
  service(
    'KillMode',
    'mixed',
    'SIGTERM goes to the main process alone, which ends its own tree; SIGKILL goes to all that is left',
  ),
  service(
    'WatchdogSignal',
    'SIGKILL',
    'a blocked loop answers to nothing else, and SIGABRT would leave a core file each time',
  ),
  service('Delegate', 'yes', 'a cgroup for each profile and each turn'),
  service(
    'OOMPolicy',
    'continue',
    'a tool that is killed for its memory must not take the gateways with it',
  ),
  service('StandardOutput', 'journal', 'logs are where systemd’s tools look for them'),
  service('StandardError', 'journal', 'the same'),
  service(
    'SyslogIdentifier',
    'gatewarden',
    'the launcher is a shell script: without it every line would come from sh',
  ),
]);

/** What costs an agent and its tools nothing, in either scope. */
const HARDENING_EVERYWHERE: readonly PolicyLine[] = [
  service(
    'NoNewPrivileges',
    'yes',
    'nothing below us can become more than we are: no sudo, no setuid program',
  ),
  service('RestrictRealtime', 'yes', 'a tool cannot take a processor for itself'),
  service('LockPersonality', 'yes', 'no need for other execution domains'),
  service('SystemCallArchitectures', 'native', 'no second, less tested set of system calls'),
  service(
    'RestrictAddressFamilies',
    'AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'chat is TCP and unix sockets; Node lists interfaces by netlink',
  ),
  service(
    'SystemCallFilter',
    '~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap',
    'calls that no gateway and no tool of one needs; all others stay, because Node and browsers use unusual ones',
  ),
  service(
    'SystemCallErrorNumber',
    'EPERM',
    'a refused call is an error that a tool can report, not its death',
  ),
];

/** What needs the rights of the system manager. */
const HARDENING_OF_SYSTEM: readonly PolicyLine[] = [
  service(
    'ProtectSystem',
    'full',
    '/usr, /boot and /etc are read-only; the rest belongs to the account and its tools',
  ),
  service('PrivateDevices', 'yes', 'no raw devices; a tool that needs one gets it by a drop-in'),
  service('ProtectKernelTunables', 'yes', '/proc/sys and /sys are not ours to change'),
  service('ProtectKernelModules', 'yes', 'nor are modules'),
  service('ProtectKernelLogs', 'yes', 'nor the kernel’s log'),
  service('ProtectClock', 'yes', 'nor the clock'),
  service('ProtectHostname', 'yes', 'nor the host’s name'),
  service('RestrictSUIDSGID', 'yes', 'no file that gives somebody else our rights'),
];

/** An account that is not root holds no capability, and with this can never get one. */
const WITHOUT_CAPABILITIES: readonly PolicyLine[] = [
  service('CapabilityBoundingSet', '', 'no capability can be had, by no means'),
  service('AmbientCapabilities', '', 'none is passed on'),
];

/**
 * Left out on purpose, each with what it would break: docs/systemd.md tells them to whoever
 * wants to add them in a drop-in.
 */
export const LEFT_OUT: Readonly<Record<string, string>> = Object.freeze({
  MemoryDenyWriteExecute: 'Node compiles at run time and dies of SIGTRAP',
  'SystemCallFilter=@system-service':
    'without @pkey Node dies of SIGSYS, and browsers need more than it allows',
  ProtectControlGroups: 'the supervisor makes cgroups',
  ProtectHome: 'the home of the service is usually in /home',
  PrivateTmp: 'sockets for the command line may be in /tmp',
  ProtectProc: 'ExecStopPost has to see that systemd is its parent',
  RestrictNamespaces: 'browsers and sandboxes for tools are made of namespaces',
});

export function hardening(scope: SystemdScope, isRoot: boolean): readonly PolicyLine[] {
  if (scope === 'user') return HARDENING_EVERYWHERE;
  return [...HARDENING_EVERYWHERE, ...HARDENING_OF_SYSTEM, ...(isRoot ? [] : WITHOUT_CAPABILITIES)];
}

function unit(key: string, value: string, because: string): PolicyLine {
  return { section: 'Unit', key, value, because };
}

function service(key: string, value: string, because: string): PolicyLine {
  return { section: 'Service', key, value, because };
}

function freeze(lines: readonly PolicyLine[]): readonly PolicyLine[] {
  return Object.freeze(lines);
}

/** What starts an enabled unit at boot; a user manager has no multi-user.target. */
export function wantedBy(scope: SystemdScope): string {
  return scope === 'user' ? 'default.target' : 'multi-user.target';
}
