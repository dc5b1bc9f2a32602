import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import { acquireLock } from '../../../../src/store/index.js';
import { runCli, type Scope, scratchHome } from '../../../support/run-cli.js';

t.jobs = 2;

async function initialized(t: Scope) {
  const scratch = scratchHome(t);
  await runCli(['init'], { env: scratch.env });
  return scratch;
}

t.test('init writes a home once and never over a file', async (t) => {
  const { env, home } = scratchHome(t);
  const first = await runCli(['init'], { env });
  t.equal(first.code, CLI_EXIT.done);
  t.match(first.stdout, `wrote ${home}/profiles/default/.env\n`);
  const file = join(home, 'profiles', 'default', 'config.yaml');
  writeFileSync(file, 'drain_seconds: 5\n');
  const second = await runCli(['init'], { env });
  t.equal(second.stdout, `everything is there already in ${home}; nothing was written\n`);
  t.equal(readFileSync(file, 'utf8'), 'drain_seconds: 5\n');
});

t.test('profile add takes the next free port, and refuses a name that is there', async (t) => {
  const { env } = await initialized(t);
  const added = await runCli(['profile', 'add', 'coder'], { env });
  // others on this machine may listen on the nearest ones
  const port = Number(
    /its API will be at http:\/\/127\.0\.0\.1:(\d+)\nnext: gatewarden up\n/.exec(added.stdout)?.[1],
  );
  t.ok(port > 8642, added.stdout);
  const again = await runCli(['profile', 'add', 'coder'], { env });
  t.equal(again.code, CLI_EXIT.usage);
  t.match(again.stderr, 'got coder, which is there already (bad-argument)');
  const list = await runCli(['profile', 'list', '--json'], { env });
  t.match(JSON.parse(list.stdout), [
    { name: 'coder', port },
    { name: 'default', port: 8642 },
  ]);
});

t.test('profile show prints every setting and no secret', async (t) => {
  const { env, home } = await initialized(t);
  const directory = join(home, 'profiles', 'default');
  writeFileSync(join(directory, '.env'), 'API_KEY=correct-horse-battery\n', { mode: 0o600 });
  const text = 'platforms: {api_server: {key: "${API_KEY}"}}\nenv: {BOT_TOKEN: "${API_KEY}"}\n';
  writeFileSync(join(directory, 'config.yaml'), text);
  for (const more of [[], ['--json']]) {
    const result = await runCli(['profile', 'show', 'default', ...more], { env });
    t.equal(result.code, CLI_EXIT.done, result.stderr);
    t.notMatch(result.stdout, 'correct-horse');
    t.match(result.stdout, '[secret]');
  }
});

t.test('profile remove keeps everything unless it is told to purge', async (t) => {
  const { env, home } = await initialized(t);
  await runCli(['profile', 'add', 'coder'], { env });
  const removed = await runCli(['profile', 'remove', 'coder'], { env });
  t.equal(removed.code, CLI_EXIT.done);
  const [kept = ''] = readdirSync(join(home, 'removed'));
  t.match(kept, /^coder-/);
  t.ok(existsSync(join(home, 'removed', kept, 'config.yaml')));
  const list = await runCli(['profile', 'list'], { env });
  t.notMatch(list.stdout, 'coder');
});

t.test('profile remove --purge deletes only when that was confirmed', async (t) => {
  const { env, home } = await initialized(t);
  const directory = join(home, 'profiles', 'default');
  const asked = await runCli(['profile', 'remove', 'default', '--purge'], { env });
  t.equal(asked.code, CLI_EXIT.usage);
  t.match(asked.stderr, 'expected --yes with --purge where nobody can be asked');
  t.ok(existsSync(directory));
  const purged = await runCli(['profile', 'remove', 'default', '--purge', '--yes'], { env });
  t.equal(purged.code, CLI_EXIT.done);
  t.notOk(existsSync(directory));
});

t.test('profile remove refuses a profile whose lock a gateway holds', async (t) => {
  const { env, home } = await initialized(t);
  const directory = join(home, 'profiles', 'default');
  const identity = { pid: process.pid, startTicks: undefined, bootId: undefined };
  const owner = { identity, home, profile: 'default', startedAt: Date.now() };
  const outcome = acquireLock(join(directory, 'state', 'gateway.lock'), owner);
  t.equal(outcome.kind, 'held');
  const refused = await runCli(['profile', 'remove', 'default'], { env });
  t.equal(refused.code, CLI_EXIT.refused);
  t.match(refused.stderr, `pid ${process.pid} (gateway of profile default in ${home}`);
  t.ok(existsSync(directory));
  if (outcome.kind === 'held') outcome.lock.release();
  const removed = await runCli(['profile', 'remove', 'default'], { env });
  t.equal(removed.code, CLI_EXIT.done, removed.stderr);
});

t.test('a stray directory among the profiles is named and refuses nothing', async (t) => {
  const { env, home } = await initialized(t);
  mkdirSync(join(home, 'profiles', 'default.bak'));
  const check = await runCli(['config', 'check'], { env });
  t.equal(check.code, CLI_EXIT.done);
  t.match(check.stdout, /^notice: .*profiles holds "default\.bak".* skipped\n/);
  const doctor = await runCli(['doctor', '--json'], { env });
  t.equal(doctor.code, CLI_EXIT.failed);
  t.match(doctor.stdout, 'default.bak');
});

t.test('config check tells all problems at once and refuses', async (t) => {
  const { env, home } = await initialized(t);
  t.equal((await runCli(['config', 'check'], { env })).code, CLI_EXIT.done);
  writeFileSync(join(home, 'config.yaml'), 'supervisr: {}\n');
  writeFileSync(join(home, 'profiles', 'default', 'config.yaml'), 'drain_secnds: 5\n');
  const people = await runCli(['config', 'check'], { env });
  t.equal(people.code, CLI_EXIT.refused);
  t.match(people.stdout, /^2 problems in the configuration:\n/);
  t.match(people.stdout, 'supervisr');
  t.match(people.stdout, 'did you mean drain_seconds?');
  const programs = await runCli(['config', 'check', '--json'], { env });
  t.equal(programs.code, CLI_EXIT.refused);
  t.match(JSON.parse(programs.stdout), { good: false, problems: [{ key: 'supervisr' }, {}] });
});

t.test('config schema and explain serve editors and people', async (t) => {
  const schema = await runCli(['config', 'schema', 'host']);
  t.match(JSON.parse(schema.stdout), { title: 'gatewarden host configuration' });
  const explained = await runCli(['config', 'explain', 'drain_seconds']);
  t.match(
    explained.stdout,
    /^drain_seconds\n {2}.*\n {2}file .*\n {2}takes .*\n {2}default {4}30\n/,
  );
  const unknown = await runCli(['config', 'explain', 'drain_second']);
  t.equal(unknown.code, CLI_EXIT.usage);
  t.match(unknown.stderr, 'did you mean drain_seconds?');
});

t.test('doctor names each fault with its remedy and exits as failed', async (t) => {
  const { env, home, root } = await initialized(t);
  const envFile = join(home, 'profiles', 'default', '.env');
  chmodSync(envFile, 0o644);
  for (const open of [root, home, join(home, 'profiles'), join(home, 'profiles', 'default')]) {
    chmodSync(open, 0o755);
  }
  mkdirSync(join(home, 'state'), { recursive: true });
  writeFileSync(join(home, 'state', 'supervisor.json'), JSON.stringify({ pid: 4_194_303 }));
  writeFileSync(join(home, 'state', 'supervisor.db'), 'this is no database');
  writeFileSync(join(home, 'profiles', 'default', 'config.yaml'), 'drain_secnds: 5\n');
  const result = await runCli(['doctor', '--json'], {
    env: { ...env, XDG_RUNTIME_DIR: join(root, 'missing') },
  });
  t.equal(result.code, CLI_EXIT.failed);
  const { checks, clean } = JSON.parse(result.stdout);
  t.equal(clean, false);
  const found = checks.flatMap((check: { findings: { what: string; remedy: string }[] }) =>
    check.findings.map(({ remedy, what }) => `${what} -> ${remedy}`),
  );
  const wanted = [
    new RegExp(`${envFile} can be read by others \\(mode 0644\\) -> chmod 600 ${envFile}`),
    /drain_secnds.* -> did you mean drain_seconds\?/,
    /names pid 4194303, which does not run/,
    /supervisor\.db cannot be read as a database/,
    /XDG_RUNTIME_DIR is .*missing, which is not a directory/,
  ];
  for (const pattern of wanted)
    t.ok(
      found.some((text: string) => pattern.test(text)),
      String(pattern),
    );
  const people = await runCli(['doctor'], { env });
  t.match(people.stdout, /^!! {2}secrets .*\n {4}finding: .*\n( .*\n)* {4}remedy: {2}chmod 600/m);
});

t.test('a home that is a file is refused by every verb that reads it', async (t) => {
  const { env, home } = scratchHome(t);
  writeFileSync(home, '');
  for (const args of [['init'], ['up'], ['profile', 'list'], ['config', 'check']]) {
    const result = await runCli(args, { env });
    t.equal(result.code, CLI_EXIT.refused, args.join(' '));
    t.match(result.stderr, '(home-unusable)', args.join(' '));
  }
});
