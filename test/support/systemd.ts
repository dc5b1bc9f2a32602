import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Test } from 'tap';
import { packageFile } from '../../src/core/package-root.js';
import { withReal } from './real-part.js';
import { type Ran, type RunOptions, runProgram } from './run-program.js';
import { type Patience, until } from './until.js';

/** For a test's options. */
export function withSystemd() {
  return withReal({
    programs: ['systemd-nspawn', 'unshare', 'nsenter', 'setpriv'],
    packages: ['systemd', 'systemd-container', 'util-linux'],
    needsRoot: true,
  });
}

/** The same where an account's own manager is needed, which lives in a session of its own. */
export function withUserSystemd() {
  return withReal({
    programs: ['systemd-nspawn', 'unshare', 'nsenter', 'setpriv', 'loginctl', 'dbus-daemon'],
    files: ['/usr/share/pam-configs/systemd'],
    packages: ['systemd', 'systemd-container', 'libpam-systemd', 'dbus', 'util-linux'],
    needsRoot: true,
  });
}

/** Where the guest finds the package, read-only, and the command as an installation has it. */
export const GUEST_PACKAGE = '/opt/gatewarden';
export const GUEST_COMMAND = '/usr/local/bin/gatewarden';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A booted systemd: process 1 of its own namespaces, on a throw-away copy of the host's files. */
export class Systemd {
  /** its process 1, as the host numbers it */
  readonly leader: number;

  constructor(leader: number) {
    this.leader = leader;
  }

  /** Runs a program in the guest, as root and with an environment of its own. */
  run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const inside = [
      'nsenter',
      '-t',
      String(this.leader),
      '-m',
      '-u',
      '-i',
      '-n',
      '-p',
      '-C',
      '-r',
      '-w',
    ];
    const env = { PATH, HOME: '/root', LANG: 'C.UTF-8', ...options.env };
    // the test runner gives its own hooks to every child, and their files may be hidden in there
    const argvInside = ['env', '-u', 'NODE_OPTIONS', ...argv];
    return runProgram([...inside, '--', ...argvInside], { ...options, env });
  }

  /** @throws when it fails */
  async do(...argv: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  systemctl(...args: string[]): Promise<Ran> {
    return this.run(['systemctl', '--no-pager', ...args]);
  }

  gatewarden(home: string, ...args: string[]): Promise<Ran> {
    return this.run([GUEST_COMMAND, '--home', home, ...args]);
  }

  /** Properties of a unit by name. */
  async show(unit: string, ...properties: string[]): Promise<Record<string, string>> {
    const { stdout } = await this.systemctl('show', unit, `--property=${properties.join(',')}`);
    const pairs = stdout.trimEnd().split('\n');
    return Object.fromEntries(
      pairs.map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]),
    );
  }

  /** Waits until a unit's properties are as wanted; tells what they were when they never are. */
  async untilShown(
    unit: string,
    wanted: Readonly<Record<string, string | RegExp>>,
    patience: Patience = {},
  ): Promise<void> {
    let last: Record<string, string> = {};
    const holds = async () => {
      last = await this.show(unit, ...Object.keys(wanted));
      return Object.entries(wanted).every(([name, value]) =>
        typeof value === 'string' ? last[name] === value : value.test(last[name] ?? ''),
      );
    };
    await until(`${unit} shows ${Object.keys(wanted).join(', ')}`, holds, {
      everyMs: 50,
      ...patience,
    }).catch(async (error: unknown) => {
      const seen = `it shows ${JSON.stringify(last)}; journal:\n${await this.journal(unit)}`;
      throw new Error(`${String(error)}; wanted ${describe(wanted)}, ${seen}`);
    });
  }

  async journal(unit: string, ...args: string[]): Promise<string> {
    const { stdout } = await this.run(['journalctl', '--no-pager', '-u', unit, ...args]);
    return stdout;
  }

  /** A path of the guest as the host sees it. */
  path(path: string): string {
    return join(`/proc/${this.leader}/root`, path);
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text, { mode });
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  /** Writes a unit and lets systemd read it. */
  async install(name: string, lines: readonly string[]): Promise<void> {
    this.write(`/etc/systemd/system/${name}`, `${lines.join('\n')}\n`);
    await this.do('systemctl', 'daemon-reload');
  }

  /** Command lines of everything in the guest that match. */
  async running(pattern: RegExp): Promise<string[]> {
    const { stdout } = await this.run(['ps', '-eo', 'pid=,stat=,args=']);
    return stdout.split('\n').filter((line) => pattern.test(line) && !/^\s*\d+\s+Z/.test(line));
  }
}

function describe(wanted: Readonly<Record<string, string | RegExp>>): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

/** Boots the host's systemd, once per test file; it is gone after the test, also after a failed one. */
export async function bootSystemd(t: Test): Promise<Systemd> {
  const scratch = mkdtempSync(join(tmpdir(), 'gw-systemd-'));
  const name = basename(scratch).toLowerCase();
  const binds = [`${packageFile()}:${GUEST_PACKAGE}`, ...outerModules()];
  const child = spawn(
    'setpriv',
    // it cleans up by itself, also when this process is killed
    ['--pdeathsig', 'TERM', '--', 'unshare', '--mount', '--', 'bash']
      .concat([packageFile('test', 'support', 'systemd-boot.sh'), name, scratch])
      .concat(binds.map((bind) => `--bind-ro=${bind}`))
      .concat(['systemd.unit=basic.target']),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let console = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      console += text;
    });
  }
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(scratch, { recursive: true, force: true });
  });
  let leader: number | undefined;
  await until('systemd has started', () => {
    if (child.exitCode !== null) throw new Error(`it could not be booted: ${console}`);
    leader = leaderBelow(child.pid ?? 0);
    return leader !== undefined;
  });
  const systemd = new Systemd(leader ?? 0);
  await until('systemd is up', async () => {
    const { stdout } = await systemd.systemctl('is-system-running');
    return /^(running|degraded)/.test(stdout);
  });
  await systemd.do('ln', '-s', `${GUEST_PACKAGE}/bin/gatewarden.js`, GUEST_COMMAND);
  return systemd;
}

/** A dependencies' folder that is a link to somewhere that the guest hides. */
function outerModules(): string[] {
  const real = realpathSync(packageFile('node_modules'));
  return real.startsWith(`${packageFile()}/`) ? [] : [`${real}:${real}`];
}

/** The child of systemd-nspawn, once it has become systemd. */
function leaderBelow(pid: number): number | undefined {
  const nspawn = childrenOf(pid).find((child) => commOf(child) === 'systemd-nspawn');
  return nspawn === undefined
    ? undefined
    : childrenOf(nspawn).find((child) => commOf(child) === 'systemd');
}

function childrenOf(pid: number): number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function commOf(pid: number): string {
  return readText(`/proc/${pid}/comm`).trimEnd();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
