import type { StatusReport } from '../../src/core/status.js';
import type { Ran } from './run-program.js';
import type { Systemd } from './systemd.js';
import { until } from './until.js';

/** The account of the service in the guest, and its usual home. */
const ACCOUNT = 'bots';
export const SERVICE_HOME = `/home/${ACCOUNT}/.gatewarden`;

/** A look starts a Node. */
const PATIENCE = { everyMs: 150 };

/** What an operator has before anything is installed: an account and its home. */
export async function makeServiceHome(
  systemd: Systemd,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await systemd.do('useradd', '--create-home', ACCOUNT);
  await writeHome(systemd, files);
}

export async function writeHome(
  systemd: Systemd,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    systemd.write(`${SERVICE_HOME}/${name}`, text, 0o600);
  }
  await systemd.do('chown', '-R', `${ACCOUNT}:${ACCOUNT}`, `/home/${ACCOUNT}`);
}

/** `gatewarden units VERB systemd`, as root, for the account. */
export function units(systemd: Systemd, verb: string, ...args: string[]): Promise<Ran> {
  const scope = ['--system', '--run-as', ACCOUNT];
  return systemd.gatewarden(SERVICE_HOME, 'units', verb, 'systemd', ...scope, ...args);
}

/** What an operator would write with `systemctl edit`. */
export async function dropIn(systemd: Systemd, unit: string, lines: readonly string[]) {
  systemd.write(`/etc/systemd/system/${unit}.d/test.conf`, `${lines.join('\n')}\n`);
  await systemd.do('systemctl', 'daemon-reload');
}

export async function removeDropIn(systemd: Systemd, unit: string) {
  await systemd.do('rm', '-r', `/etc/systemd/system/${unit}.d`);
  await systemd.do('systemctl', 'daemon-reload');
}

export async function statusIn(systemd: Systemd): Promise<StatusReport | undefined> {
  const { stdout } = await systemd.gatewarden(SERVICE_HOME, 'status', '--json');
  const report = stdout.startsWith('{') ? (JSON.parse(stdout) as StatusReport) : undefined;
  return report?.supervisor === null ? undefined : report;
}

export async function untilStatusIn(
  systemd: Systemd,
  what: string,
  condition: (report: StatusReport) => boolean,
): Promise<StatusReport> {
  let last: StatusReport | undefined;
  const holds = async () => {
    last = await statusIn(systemd);
    return last !== undefined && condition(last);
  };
  await until(what, holds, PATIENCE);
  if (last === undefined) throw new Error('no status');
  return last;
}

export const isReady = (name: string) => (report: StatusReport) =>
  report.profiles.some((one) => one.name === name && one.state === 'ready');
