import { sortedEntries } from '../environment.js';
import { generatedNote } from '../generated-file.js';
import { describeSubject } from '../names.js';
import type { Argv, Service, ServiceLimits, Subject } from '../service.js';
import { escapeArgument, escapeAssignment, escapePathLine, escapePatternLine } from './escape.js';
import { hardening, LIFE_POLICY, type SystemdScope, wantedBy } from './policy.js';

export const REWRITE_WITH = 'gatewarden units install systemd';

/**
 * A unit. In user scope the account is whoever the manager belongs to.
 * @throws GatewardenError unit-value-refused
 */
export function renderSystemdUnit(service: Service, scope: SystemdScope): string {
  const isRoot = scope === 'system' && (service.account?.uid ?? 0) === 0;
  return [
    `# ${generatedNote(REWRITE_WITH)}`,
    '# Settings of your own: systemctl edit UNIT.',
    '[Unit]',
    `Description=Gatewarden ${describeSubject(service.subject)}`,
    ...orderLines(service, scope),
    ...policyLines('Unit'),
    '',
    '[Service]',
    `ExecStart=${renderArgv(service.argv)}`,
    `ExecReload=${renderArgv(reloadArgv(service.subject))}`,
    // the dash: what it cannot do must not turn a clean stop into a failure
    `ExecStopPost=-${renderArgv(service.afterStop)}`,
    `WorkingDirectory=${escapePathLine(service.home)}`,
    ...accountLines(service, scope),
    ...sortedEntries(service.env).map(
      ([name, value]) => `Environment=${escapeAssignment(name, value)}`,
    ),
    // the dash: it need not exist
    `EnvironmentFile=-${escapePatternLine(service.envFile)}`,
    `TimeoutStartSec=${renderSeconds(service.budgets.startMs)}`,
    `TimeoutStopSec=${renderSeconds(service.budgets.stopMs)}`,
    `WatchdogSec=${renderSeconds(service.budgets.watchdogMs)}`,
    ...policyLines('Service'),
    ...limitLines(service.limits),
    ...hardening(scope, isRoot).map(({ key, value }) => `${key}=${value}`),
    '',
    '[Install]',
    `WantedBy=${wantedBy(scope)}`,
    '',
  ].join('\n');
}

/** Mounts and the network are the system manager's; a user manager knows neither. */
function orderLines(service: Service, scope: SystemdScope): readonly string[] {
  if (scope === 'user') return [];
  return [
    'Wants=network-online.target',
    'After=network-online.target',
    `RequiresMountsFor=${escapeMount(service.home)}`,
  ];
}

/** Its words know quotes and a backslash, but no letters after one. */
function escapeMount(path: string): string {
  return `"${escapePathLine(path).replace(/["\\]/g, '\\$&')}"`;
}

/** No setting of `$MAINPID` by us: systemd knows it. `kill` itself is in every shell. */
function reloadArgv(subject: Subject): Argv {
  // a gateway alone has nothing to reload: it drains and starts again
  const signal = subject.kind === 'supervisor' ? 'HUP' : 'USR2';
  return ['/bin/sh', '-c', `kill -${signal} "$MAINPID"`];
}

function renderArgv(argv: Argv): string {
  return argv.map(escapeArgument).join(' ');
}

function accountLines({ account }: Service, scope: SystemdScope): readonly string[] {
  if (scope === 'user' || account === undefined) return [];
  // a group by number: the account's own may have any name
  return [`User=${account.name}`, `Group=${account.gid}`];
}

const SECOND_MS = 1000;

/** `70s`, or milliseconds where it is no whole number of seconds. */
function renderSeconds(ms: number): string {
  const whole = Math.ceil(ms);
  return whole % SECOND_MS === 0 ? `${whole / SECOND_MS}s` : `${whole}ms`;
}

function policyLines(section: 'Unit' | 'Service'): readonly string[] {
  return LIFE_POLICY.filter((line) => line.section === section).map(
    ({ key, value }) => `${key}=${value}`,
  );
}

const PERCENT_PER_CORE = 100;

function limitLines({ memoryBytes, processes, cpus }: ServiceLimits): readonly string[] {
  return [
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`]),
    ...(processes === undefined ? [] : [`TasksMax=${processes}`]),
    ...(cpus === undefined
      ? []
      : [`CPUQuota=${Math.max(1, Math.round(cpus * PERCENT_PER_CORE))}%`]),
  ];
}
