import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import type { CheckResult } from '../../src/cli/doctor/finding.js';
import { readListening } from '../../src/cli/doctor/listening-ports.js';
import { EXIT } from '../../src/core/exit-codes.js';
import { packageFile } from '../../src/core/package-root.js';
import { listenForNotify } from '../support/notify-listener.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { untilNothingIsLeft } from '../support/up.js';

const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const isAble = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;

interface Contained {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** A supervisor that sees only its own pids, as in a container with a volume of its own host. */
function upInContainer(
  t: { teardown(undo: () => unknown): unknown },
  home: string,
  args: string[] = [],
  notify = '',
) {
  const command = [process.execPath, packageFile('bin', 'gatewarden.js'), '--home', home, 'up'];
  const { PATH = '' } = process.env;
  const child = spawn('unshare', [...UNSHARE, ...command, ...args], {
    env: { PATH, HOME: '/nonexistent', XDG_RUNTIME_DIR: home, NOTIFY_SOCKET: notify },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { child, output: () => output, exited } satisfies Contained;
}

/** What one says that sees no pid of the owner, or another one for each. */
async function sparesTheLiving(t: Test, home: string, port: number): Promise<void> {
  const command = [process.execPath, packageFile('bin', 'gatewarden.js'), '--home', home];
  const asked = [...command, 'doctor', '--json'];
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: '/nonexistent', XDG_RUNTIME_DIR: '/nonexistent' };
  for (const [file = '', ...args] of [asked, ['unshare', ...UNSHARE, ...asked]]) {
    const { stdout } = await promisify(execFile)(file, args, { env }).catch(
      (thrown: { readonly stdout: string }) => thrown,
    );
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
    const resultOf = (name: string) => checks.find(({ check }) => check === name);
    const findingsOf = (name: string) => resultOf(name)?.findings;
    t.match(findingsOf('owners'), [{ what: /the home belongs to .*another container/ }]);
    t.strictSame(findingsOf('leftovers'), [], 'nothing of it is called dead');
    t.equal(resultOf('ports')?.seen, String(port), 'its port was looked at');
    t.strictSame(findingsOf('ports'), [], 'and is its own');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isListening(port: number): boolean {
  return readListening()?.some((one) => one.port === port) === true;
}

function supervises(one: Contained): boolean {
  return one.output().includes('supervises');
}

t.test(
  'of two supervisors in containers on one volume one runs, the other takes over from its death',
  { skip: isAble ? false : 'needs unshare and the right to use it', timeout: 240_000 },
  async (t) => {
    const port = await freePort();
    const platforms = { local: { enabled: true }, api_server: { enabled: true, port } };
    const home = makeHome(t, profileFile('one', { platforms }));
    t.teardown(() => untilNothingIsLeft(home));
    const first = upInContainer(t, home);
    await until('the first supervises', () => supervises(first), { deadlineMs: 90_000 });

    const manager = listenForNotify(t);
    const second = upInContainer(t, home, [], manager.path);
    await until('the second stands by', () => second.output().includes('standing by'), {
      deadlineMs: 90_000,
    });
    t.match(second.output(), /standing by: pid \d+ \(supervisor in .* in another container/);
    t.notOk(supervises(second), 'it does not run');
    await manager.untilTold(/^STATUS=standing by: pid \d+ .* owns the home$/);
    await manager.untilTold(/^EXTEND_TIMEOUT_USEC=\d+$/);
    t.notOk(manager.messages.some((text) => text.includes('READY=1')));

    const third = upInContainer(t, home, ['--no-standby', '--replace']);
    t.equal(await third.exited, EXIT.failure, 'who must not wait fails, and may be tried again');
    t.match(third.output(), /in another container.*\(owner-busy\)/s);
    t.equal(first.child.exitCode, null, 'the first was not touched');
    await until('its port is open', () => isListening(port), { deadlineMs: 90_000 });
    await sparesTheLiving(t, home, port);

    first.child.kill('SIGKILL');
    await until('the second supervises', () => supervises(second), { deadlineMs: 90_000 });
    t.match(readdirSync(join(home, 'state', 'supervisor.lease')), ['2.json']);
  },
);

t.test(
  'a supervisor whose lease has a newer owner ends its gateways and says who took over',
  { skip: isAble ? false : 'needs unshare and the right to use it', timeout: 240_000 },
  async (t) => {
    const home = makeHome(t, profileFile('one', {}));
    t.teardown(() => untilNothingIsLeft(home));
    const owner = upInContainer(t, home);
    await until('it supervises', () => supervises(owner), { deadlineMs: 90_000 });
    const directory = join(home, 'state', 'supervisor.lease');
    const own = JSON.parse(readFileSync(join(directory, '1.json'), 'utf8'));
    // what a host does whose kernel does not see this one's lock
    const place = { ...own.owner.place, machine: 'other', hostName: 'host-b' };
    const identity = { ...own.owner.identity, bootId: 'another' };
    const taker = { ...own, owner: { ...own.owner, identity, place } };
    writeFileSync(join(directory, '2.json'), JSON.stringify(taker));
    t.equal(await owner.exited, EXIT.failure);
    t.match(owner.output(), /was taken over by pid \d+ \(supervisor in .*, on host host-b/);
    t.match(owner.output(), '(home-lost)');
  },
);
