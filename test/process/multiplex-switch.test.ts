import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { makeHome, writeHomeFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { cli, rowOf, statusOf, untilStatus, up } from '../support/up.js';

const PROFILES = ['default', 'coder', 'writer'] as const;
const GUESTS = ['coder', 'writer'] as const;
const CLIENTS_PER_PROFILE = 2;
/** between two messages of a client: traffic, not a load test */
const PAUSE_MS = 20;
const SWITCHES =
  process.env.GATEWARDEN_THOROUGH === '1' ? [true, false, true, false, true] : [true, false];
/** three gateways start, one after the other, on a machine that may be busy */
const PATIENCE = { deadlineMs: 120_000 };

/** Writes down each turn that it is, so that one that ran twice, or elsewhere, is seen. */
function filesFor(ran: string, isMultiplexed: boolean): Record<string, string> {
  const script = `m=$(cat); echo "$GATEWARDEN_PROFILE $m" >> ${ran}; printf '%s' "$GATEWARDEN_PROFILE $m"`;
  const agent = { driver: 'command', command: ['/bin/sh', '-c', script] };
  const files: Record<string, string> = {
    'config.yaml': JSON.stringify({ gateway: { multiplex_profiles: isMultiplexed } }),
  };
  for (const name of PROFILES) {
    const enabled = name === 'default' || !isMultiplexed;
    const platforms = { api_server: { enabled, port: 0 } };
    files[`profiles/${name}/config.yaml`] = JSON.stringify({ agent, platforms });
  }
  return files;
}

interface Traffic {
  readonly answers: Map<string, string>;
  readonly broken: string[];
  stop(): Promise<void>;
}

/** Each message is sent again until it is answered, but never after it may have been taken. */
function startTraffic(home: string): Traffic {
  const answers = new Map<string, string>();
  const broken: string[] = [];
  const state = { isOver: false };
  const urls = new Map<string, string>();
  const refresh = async () => {
    const report = await statusOf(home);
    for (const name of PROFILES) {
      const url = rowOf(report, name)?.listen.find((one) => one.startsWith('http'));
      if (url !== undefined) urls.set(name, url);
    }
  };
  const client = async (profile: string, number: number) => {
    for (let count = 0; !state.isOver; count++) {
      const id = `${profile}-${number}-${count}`;
      for (;;) {
        const said = await say(urls.get(profile), id);
        if (said.kind === 'answered') answers.set(id, said.text);
        if (said.kind === 'broken') broken.push(`${id}: ${said.why}`);
        if (said.kind !== 'not-taken') break;
        await sleep(PAUSE_MS);
        await refresh();
      }
      await sleep(PAUSE_MS);
    }
  };
  const clients = refresh().then(() =>
    Promise.all(
      PROFILES.flatMap((profile) =>
        Array.from({ length: CLIENTS_PER_PROFILE }, (_, number) => client(profile, number)),
      ),
    ),
  );
  return {
    answers,
    broken,
    stop: async () => {
      state.isOver = true;
      await clients;
    },
  };
}

type Said =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'not-taken' }
  | { readonly kind: 'broken'; readonly why: string };

async function say(url: string | undefined, text: string): Promise<Said> {
  if (url === undefined) return { kind: 'not-taken' };
  const body = JSON.stringify({ messages: [{ role: 'user', content: text }] });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  try {
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false });
    call.end(body);
    const [answer] = await once(call, 'response');
    let received = '';
    for await (const chunk of answer) received += chunk;
    if (answer.statusCode === 503 || answer.statusCode === 404) return { kind: 'not-taken' };
    if (answer.statusCode !== 200)
      return { kind: 'broken', why: `${answer.statusCode} ${received}` };
    return { kind: 'answered', text: JSON.parse(received).choices[0].message.content };
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    return code === 'ECONNREFUSED'
      ? { kind: 'not-taken' }
      : { kind: 'broken', why: String(thrown) };
  }
}

t.test(
  'with traffic on, profiles move into one process and back, and no message is lost, answered twice or by another',
  async (t) => {
    const ran = `/tmp/gw-ran-${process.pid}`;
    t.teardown(() => rmSync(ran, { force: true }));
    const home = makeHome(t, filesFor(ran, false));
    await up(t, home);
    const all = (state: string) => (report: NonNullable<Awaited<ReturnType<typeof statusOf>>>) =>
      rowOf(report, 'default')?.state === 'ready' &&
      GUESTS.every((name) => rowOf(report, name)?.state === state);
    await untilStatus(home, 'all have a process of their own', all('ready'), PATIENCE);
    const traffic = startTraffic(home);
    const more = async () => {
      const before = traffic.answers.size;
      await until('all go on being answered', () => traffic.answers.size >= before + 20, PATIENCE);
    };
    await more();
    for (const isMultiplexed of SWITCHES) {
      for (const [name, text] of Object.entries(filesFor(ran, isMultiplexed))) {
        writeHomeFile(home, name, text);
      }
      const reload = await cli(home, 'reload');
      t.equal(reload.code, 0, reload.stdout);
      const words = isMultiplexed ? 'to be served by' : 'to run in a process of its own';
      t.match(reload.stdout, words);
      await untilStatus(home, 'they have moved', all(isMultiplexed ? 'served' : 'ready'), {
        ...PATIENCE,
      });
      await more();
      if (!isMultiplexed) continue;
      t.equal((await cli(home, 'stop', 'coder')).code, 78, 'a served one is not stopped by itself');
    }
    await traffic.stop();
    const turns = readFileSync(ran, 'utf8').trimEnd().split('\n');
    const expected = [...traffic.answers.keys()].map((id) => `${id.split('-')[0]} ${id}`);
    t.strictSame(traffic.broken, [], 'no connection was cut, no answer was an error');
    t.equal(new Set(turns).size, turns.length, 'no message ran twice');
    t.strictSame([...turns].sort(), [...expected].sort(), 'each ran where it was sent, once');
    t.strictSame(
      [...traffic.answers].filter(([id, text]) => text !== `${id.split('-')[0]} ${id}`),
      [],
      'and each answer is of the profile that was asked',
    );
    t.comment(`${turns.length} messages in ${SWITCHES.length} switches of two profiles`);
    const events = (await cli(home, 'history', '--json', '--limit', '500')).stdout;
    t.equal(events.match(/"code":"moved"/g)?.length, SWITCHES.length * GUESTS.length);
    t.notMatch(events, /move-failed/);
  },
);
