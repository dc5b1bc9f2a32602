import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { reach } from '../../src/cli/control/reach.js';
import { scanProcesses } from '../../src/containment/index.js';
import { makeHome } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, processesOf, rowOf, statusOf, untilStatus, up } from '../support/up.js';

const PROFILES = ['coder', 'writer'] as const;
const CANARIES = {
  coder: ['canary-coder-key-1f3a', 'canary-coder-tool-77b0'],
  writer: ['canary-writer-key-9c2e', 'canary-writer-tool-d41d'],
} as const;
const ALL = [...CANARIES.coder, ...CANARIES.writer];

/** A tool that says that it runs, shows its environment, prints its token, and waits. */
function home(t: Parameters<typeof makeHome>[0], at: string, isMultiplexed: boolean): string {
  const script = `cat > /dev/null; env > ${at}.env.$GATEWARDEN_PROFILE; echo "$TOOL_TOKEN" >&2; while [ ! -e ${at}.go ]; do sleep 0.05; done; printf '%s' "$TOOL_TOKEN"`;
  const files: Record<string, string> = {
    'config.yaml': JSON.stringify({ gateway: { multiplex_profiles: isMultiplexed } }),
    'profiles/default/config.yaml': JSON.stringify({
      platforms: { api_server: { enabled: true, port: 0 } },
    }),
  };
  for (const name of PROFILES) {
    const [key, tool] = CANARIES[name];
    files[`profiles/${name}/.env`] = `API_KEY=${key}\nTOOL=${tool}\n`;
    files[`profiles/${name}/config.yaml`] = JSON.stringify({
      agent: { driver: 'command', command: ['/bin/sh', '-c', script] },
      env: { TOOL_TOKEN: '${TOOL}' },
      platforms: { api_server: { enabled: !isMultiplexed, port: 0, key: '${API_KEY}' } },
    });
  }
  return makeHome(t, files);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Everything that was written below the home, but for the files of the operator and conversations. */
function written(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => one.isFile() && one.name !== '.env' && !one.name.startsWith('state.db'))
    .map((one) => readOrEmpty(join(one.parentPath, one.name)))
    .join('\n');
}

async function controlAnswers(at: string): Promise<string> {
  const found = await reach(at, {});
  if (found.kind !== 'answers') throw new Error('the supervisor does not answer');
  const hint = JSON.parse(readFileSync(join(at, 'state', 'supervisor.json'), 'utf8'));
  const get = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request({ socketPath: hint.socket, path }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve(text));
      })
        .once('error', reject)
        .end();
    });
  const paths = ['/v1/status', '/v1/history', '/metrics', '/'];
  const texts = await Promise.all(paths.map(get));
  return texts.join('\n');
}

for (const isMultiplexed of [true, false]) {
  const how = isMultiplexed ? 'in one process' : 'in processes of their own';
  t.test(`${how}, a secret of one profile is found nowhere but in its own tools`, async (t) => {
    const at = `/tmp/gw-canary-${process.pid}-${isMultiplexed}`;
    const made = ['.go', '.env.coder', '.env.writer'].map((end) => `${at}${end}`);
    t.teardown(() => {
      for (const path of made) rmSync(path, { force: true });
    });
    const place = home(t, at, isMultiplexed);
    const running = await up(t, place);
    const state = isMultiplexed ? 'served' : 'ready';
    const report = await untilStatus(place, 'both serve', (now) =>
      PROFILES.every((name) => rowOf(now, name)?.state === state),
    );
    const asked = PROFILES.map((name) => ask(rowOf(report, name)?.listen ?? [], CANARIES[name][0]));
    await until('both tools run', () =>
      PROFILES.every((name) => readOrEmpty(`${at}.env.${name}`).includes('TOOL_TOKEN')),
    );
    const pids = [running.pid, ...processesOf(place)];
    for (const { pid } of scanProcesses().filter((one) => pids.includes(one.pid))) {
      const environ = readOrEmpty(`/proc/${pid}/environ`);
      const owner = /(?:^|\0)GATEWARDEN_PROFILE=(\w+)/.exec(environ)?.[1];
      const own: readonly string[] =
        owner === 'coder' || owner === 'writer' ? [CANARIES[owner][1]] : [];
      const strange = ALL.filter((canary) => environ.includes(canary) && !own.includes(canary));
      t.strictSame(strange, [], `environment of ${pid}, a process of ${owner ?? 'nobody'}`);
      const argv = readOrEmpty(`/proc/${pid}/cmdline`);
      t.strictSame(
        ALL.filter((canary) => argv.includes(canary)),
        [],
        `command line of ${pid}`,
      );
    }
    for (const name of PROFILES) {
      const seen = readOrEmpty(`${at}.env.${name}`);
      t.ok(seen.includes(CANARIES[name][1]), 'its tool has what it was given');
      t.strictSame(
        ALL.filter((canary) => seen.includes(canary)),
        [CANARIES[name][1]],
        'and no more',
      );
    }
    writeFileSync(`${at}.go`, '');
    t.strictSame(await Promise.all(asked), [200, 200]);
    const dump = await provokeDump(place, isMultiplexed ? 'default' : 'coder');
    const answers = await controlAnswers(place);
    const shown = (await cli(place, 'profile', 'show', 'coder', '--json')).stdout;
    const units = (
      await cli(
        place,
        'units',
        'print',
        'systemd',
        '--all-profiles',
        '--system',
        '--run-as',
        'root',
      )
    ).stdout;
    const output = `${running.stdout()}${running.stderr()}`;
    const everything = { answers, shown, units, dump, files: written(place), output };
    for (const [where, text] of Object.entries(everything)) {
      const isOperators = where === 'files';
      t.not(text, '', `${where} was read`);
      t.strictSame(
        ALL.filter((canary) => text.includes(canary)),
        [],
        `${where}${isOperators ? ': logs, evidence, records' : ''}`,
      );
    }
  });
}

/** A signal from somebody has the process look at what goes on on its host, and write it down. */
async function provokeDump(place: string, name: string): Promise<string> {
  const { pid } = rowOf(await statusOf(place), name) ?? {};
  if (!pid) throw new Error(`${name} has no process`);
  const path = join(place, 'logs', name, 'shutdown-diag.log');
  process.kill(pid, 'SIGTERM');
  // the list of processes is the last of it, and has its header before its lines
  await until('the look at the host is written', () => / COMMAND\n.+\n/.test(readOrEmpty(path)));
  await untilStatus(place, `${name} is back`, (now) => {
    const row = rowOf(now, name);
    return row?.state === 'ready' && row.pid !== pid;
  });
  return readOrEmpty(path);
}

async function ask(listen: readonly string[], key: string): Promise<number> {
  const url = listen.find((one) => one.startsWith('http')) ?? 'missing:';
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'show it' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}
