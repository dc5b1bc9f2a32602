import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { EXIT } from '../../src/core/exit-codes.js';
import { packageFile } from '../../src/core/package-root.js';
import type { StatusReport } from '../../src/core/status.js';
import { A, asUid, B, canRunThisClone } from '../support/accounts.js';
import { runAlone } from '../support/lone-gateway.js';
import { runCli } from '../support/run-cli.js';
import { makeHome, profileFile, writeHomeFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, processesOf, rowOf, untilStatus, up } from '../support/up.js';

const options = { skip: canRunThisClone(A) };

const WHO = 'cat > /dev/null; echo "$(id -u) $(id -g) $HOME $USER $PATH"';
const ACCOUNT_PATH = '/usr/local/bin:/usr/bin:/bin';
const userOf = (uid: number) => `${uid}:${uid}`;

function builtIn(uid: number | undefined, script = WHO): object {
  return {
    ...(uid === undefined ? {} : { user: userOf(uid) }),
    agent: { driver: 'command', command: ['/bin/sh', '-c', script] },
    env: { TOKEN: '${TOKEN}' },
  };
}

/** Two gateways and a program: `a` and `tool` are one account, `b` is another. */
function makeAccountsHome(t: Test): string {
  return makeHome(t, {
    ...profileFile('a', builtIn(A)),
    'profiles/a/.env': 'TOKEN=of-a\n',
    ...profileFile('b', { ...builtIn(B), env: { PATH: '/srv/bin:/usr/bin:/bin' } }),
    'profiles/b/.env': 'TOKEN=of-b\n',
    'profiles/b/state/evidence/one.json': '{}',
    ...profileFile('tool', { user: userOf(A), command: ['/bin/sleep', '86400'] }),
  });
}

const NAMES = ['a', 'b', 'tool'];

function allReady(report: StatusReport): boolean {
  return NAMES.every((name) => rowOf(report, name)?.state === 'ready');
}

/** Real, effective, saved and of files, one for each. */
function idsOf(pid: number | null | undefined): Record<string, string> {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rows = text.matchAll(/^(Uid|Gid|Groups):[ \t]*(.*?)[ \t]*$/gm);
  return Object.fromEntries([...rows].map(([, name = '', ids = '']) => [name, ids]));
}

const onlyIds = (id: number) => {
  const all = [id, id, id, id].join('\t');
  return { Uid: all, Gid: all, Groups: '' };
};

const owner = (path: string) => {
  const { gid, mode, uid } = lstatSync(path);
  return `${uid}:${gid} ${(mode & 0o777).toString(8)}`;
};

async function ask(home: string, profile: string): Promise<string> {
  const { stdout } = await runCli(['--home', home, 'chat', profile], { input: 'who are you\n' });
  return stdout.trim();
}

function socketOf(report: StatusReport, name: string): string {
  return (rowOf(report, name)?.listen[0] ?? '').replace(/^unix:/, '');
}

t.test('each profile with a user runs as that account and sees no other', options, async (t) => {
  const home = makeAccountsHome(t);
  await up(t, home);
  const report = await untilStatus(home, 'all are ready', allReady);

  t.match(idsOf(rowOf(report, 'a')?.pid), onlyIds(A));
  t.match(idsOf(rowOf(report, 'b')?.pid), onlyIds(B));
  t.match(idsOf(rowOf(report, 'tool')?.pid), onlyIds(A), 'a program too');
  t.equal(await ask(home, 'a'), `${A} ${A} / ${A} ${ACCOUNT_PATH}`, 'and what its turns start');
  t.equal(await ask(home, 'b'), `${B} ${B} / ${B} /srv/bin:/usr/bin:/bin`, 'the profile says more');
  t.equal(rowOf(report, 'a')?.account, String(A), 'status tells as whom');
  t.match((await cli(home, 'status')).stdout, new RegExp(`account: ${A}`));
  const { checks } = JSON.parse((await cli(home, 'doctor', '--json')).stdout);
  const accounts = checks.find(({ check }: { check: string }) => check === 'accounts');
  t.match(accounts, { seen: `a is ${A}, b is ${B}, tool is ${A}`, findings: [] });

  const at = (...names: string[]) => join(home, ...names);
  t.equal(owner(at('profiles', 'a', 'state')), `${A}:${A} 700`);
  t.equal(owner(at('profiles', 'a', 'state', 'state.db')), `${A}:${A} 600`);
  t.equal(owner(at('profiles', 'a', '.env')), `${A}:${A} 600`);
  t.equal(owner(at('profiles', 'a')), `0:${A} 750`, 'who it is stays for root to say');
  t.equal(owner(at('profiles', 'a', 'config.yaml')), `0:${A} 640`);

  t.equal(asUid(A, ['cat', at('profiles', 'a', '.env')]).stdout, 'TOKEN=of-a\n');
  t.equal(asUid(A, ['test', '-w', socketOf(report, 'a')]).status, 0, 'its own chat');
  const closed: [string, string][] = [
    ['ls', home],
    ['ls', at('profiles')],
    ['ls', at('profiles', 'b')],
    ['ls', at('logs')],
    ['cat', at('profiles', 'b', '.env')],
    ['cat', at('profiles', 'b', 'config.yaml')],
    ['cat', at('profiles', 'b', 'state', 'state.db')],
    ['cat', at('profiles', 'b', 'state', 'evidence', 'one.json')],
    ['cat', at('logs', 'b', 'current.log')],
    ['cat', at('state', 'supervisor.db')],
    // not even of its own gateway, whose memory holds what tools must not know
    ['cat', `/proc/${rowOf(report, 'a')?.pid}/environ`],
  ];
  for (const [program, path] of closed) {
    t.doesNotThrow(() => statSync(path), `${path} is there`);
    t.match(asUid(A, [program, path]), { status: /[12]/, stdout: '' }, `${program} ${path}`);
  }
  const { socket } = JSON.parse(readFileSync(at('state', 'supervisor.json'), 'utf8'));
  for (const path of [socket, socketOf(report, 'b')]) {
    t.ok(statSync(path).isSocket());
    t.equal(asUid(A, ['test', '-w', path]).status, 1, `${path} takes no connection of it`);
  }

  const { code } = await cli(home, 'stop', '--all');
  t.equal(code, 0);
  const left = processesOf(home).filter((pid) => idsOf(pid)['Uid'] !== onlyIds(0).Uid);
  t.strictSame(left, [], 'a stop leaves nothing of theirs');
});

t.test(
  'after kill -9 of everything, and with another user, it starts again',
  options,
  async (t) => {
    const home = makeAccountsHome(t);
    const first = await up(t, home);
    const before = await untilStatus(home, 'all are ready', allReady);
    for (const { pid } of [first, ...before.profiles])
      if (pid !== null) process.kill(pid, 'SIGKILL');
    await first.exited;

    writeHomeFile(home, 'profiles/b/config.yaml', JSON.stringify(builtIn(undefined)));
    const second = await up(t, home);
    const after = await untilStatus(home, 'all are ready again', allReady);
    t.match(idsOf(rowOf(after, 'a')?.pid), onlyIds(A));
    t.match(idsOf(rowOf(after, 'b')?.pid), { Uid: onlyIds(0).Uid }, 'without user it is root');
    t.equal(owner(join(home, 'profiles', 'b', 'state')), '0:0 700', 'and its files are root’s');
    t.equal(owner(join(home, 'profiles', 'b', '.env')), '0:0 600');
    t.equal(
      asUid(A, ['ls', join(home, 'profiles', 'b')]).status,
      2,
      'closed to the others as well',
    );

    // what an account left that would give away a file of root, when its state goes to the next
    const victim = join(home, 'victim');
    writeFileSync(victim, 'root’s', { mode: 0o600 });
    const trap = join(home, 'profiles', 'a', 'state', 'trap');
    linkSync(victim, trap);
    writeHomeFile(home, 'profiles/a/config.yaml', JSON.stringify(builtIn(B)));
    await cli(home, 'reload');
    const parked = await untilStatus(home, 'it is parked', (report) => {
      return rowOf(report, 'a')?.state === 'parked';
    });
    t.match(rowOf(parked, 'a')?.parked, {
      reason: 'config',
      detail: `expected files of its own in its state, got a file with 2 names (hard links): ${trap}`,
      remedy: /remove it/,
    });
    t.equal(owner(victim), '0:0 600');
    rmSync(trap);
    await cli(home, 'start', 'a');
    const cured = await untilStatus(home, 'it is ready', (report) => allReady(report));
    t.match(idsOf(rowOf(cured, 'a')?.pid), onlyIds(B));
    process.kill(second.pid, 'SIGTERM');
    t.equal(await second.exited, 0);
    await until('nothing is left', () => processesOf(home).length === 0, { everyMs: 100 });
  },
);

t.test('one gateway alone gives root up, or runs as its account at once', options, async (t) => {
  const home = makeHome(t, {
    ...profileFile('a', { ...builtIn(A), env: {} }),
  });
  const path = join(home, 'profiles', 'a', 'state', 'gateway.json');
  const serving = () => {
    const record = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    return record.phase === 'serving' ? (record.pid as number) : undefined;
  };
  const argv = ['--home', home, 'gateway', 'run', '-p', 'a'];
  // as a unit with `User=` starts it; by then root has prepared the files
  for (const how of [{}, { uid: A, gid: A }]) {
    const child = spawn(process.execPath, [packageFile('bin', 'gatewarden.js'), ...argv], {
      ...how,
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      stdio: 'ignore',
    });
    t.teardown(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await until('it serves', () => serving() === child.pid || child.exitCode !== null);
    t.match(idsOf(child.pid), onlyIds(A), JSON.stringify(how));
    child.kill('SIGTERM');
    t.strictSame(await ended, [0, null]);
  }
});

t.test(
  'one of another account is not served, says so, and keeps nobody else from it',
  options,
  async (t) => {
    const home = makeHome(t, {
      'config.yaml': JSON.stringify({ gateway: { multiplex_profiles: true } }),
      ...profileFile('default', {}),
      ...profileFile('a', { user: userOf(A) }),
      ...profileFile('coder', {}),
    });
    const supervisor = await up(t, home);
    const states = { default: 'ready', a: 'parked', coder: 'served' };
    const report = await untilStatus(home, 'all have settled', (now) =>
      Object.entries(states).every(([name, state]) => rowOf(now, name)?.state === state),
    );
    t.match(rowOf(report, 'a')?.parked, {
      reason: 'config',
      detail:
        /user:\s+expected the account of profile default.*same user, or take it out of gateway\.multiplex_profile_allowlist/s,
      remedy: /gatewarden start a/,
    });
    const start = await cli(home, 'start', 'a');
    t.equal(start.code, EXIT.config, 'no retry helps');
    t.equal((await ask(home, 'coder')).length > 0, true, 'the served one answers');
    supervisor.child.kill('SIGTERM');
    await supervisor.exited;

    const alone = runAlone(t, { home, profile: 'default' });
    await until('coder is served', () => alone.output().includes('coder is served'));
    t.match(alone.output(), /a cannot be served: .*the account of profile default/s);
  },
);
