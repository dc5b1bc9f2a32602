import { get } from 'node:http';
import { join as joinPath } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t from 'tap';
import { localSocketPath } from '../../src/config/paths.js';
import { ChatClient } from '../support/gateway-chat-client.js';
import {
  type ModelStep,
  openStream,
  says,
  sendDelta,
  sendEvent,
  startModelServer,
} from '../support/gateway-model-server.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { rowOf, untilStatus, up } from '../support/up.js';

/** How the hundred turns go on while the gateway drains. */
const MIX = { finishing: 55, endless: 30, wedged: 12, asking: 3 } as const;
type Kind = keyof typeof MIX;

const DRAIN_SECONDS = 8;
/** shorter than the drain: wedged turns are given up while it waits for the others */
const INACTIVITY_SECONDS = 6;
/** a hundred streams at ten times this pace are a load of their own */
const TICK_MS = 1000;
const STARTING_AT_ONCE = 16;
/** far less than a gap between two gateways takes, and no load */
const PROBE_EVERY_MS = 20;

const namesOf = (kind: Kind) => Array.from({ length: MIX[kind] }, (_, nth) => `${kind}-${nth}`);

/** A model whose answers depend on what it is asked; `finish` ends those that are to finish. */
function model() {
  let isOpen = false;
  const step: ModelStep = (response, call) => {
    const said = call.body.messages.filter(({ role }) => role === 'user').map((one) => one.content);
    const asked = said.at(-1) ?? '';
    if (asked.startsWith('The gateway was restarted')) {
      return says([`resumed ${said.at(-2)}`])(response, call);
    }
    openStream(response);
    sendDelta(response, '.');
    if (asked.startsWith('wedged')) return undefined;
    const timer = setInterval(() => {
      if (!(isOpen && asked.startsWith('finishing'))) return sendDelta(response, '.');
      clearInterval(timer);
      sendDelta(response, `done ${asked}`);
      sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      response.end('data: [DONE]\n\n');
    }, TICK_MS);
    response.once('close', () => clearInterval(timer));
    return undefined;
  };
  return {
    step,
    finish: () => {
      isOpen = true;
    },
  };
}

/** Asks for its health again and again, each time over a new connection. */
function watchPort(url: URL) {
  const faults: string[] = [];
  let answers = 0;
  let isOver = false;
  const once = () =>
    new Promise<void>((resolve) => {
      const call = get(new URL('/health', url), { agent: false }, (answer) => {
        answers++;
        answer.resume().once('close', resolve);
      });
      call.once('error', (error: NodeJS.ErrnoException) => {
        faults.push(error.code ?? error.message);
        resolve();
      });
    });
  const running = (async () => {
    while (!isOver) {
      await once();
      await delay(PROBE_EVERY_MS);
    }
  })();
  const stop = async () => {
    isOver = true;
    await running;
    return { faults, answers };
  };
  return { stop };
}

interface Row {
  readonly chat_id: string;
  readonly resume_pending: number;
  readonly resumed: number;
}

/** Every conversation with how often it was taken up. */
function conversations(home: string): Row[] {
  const path = joinPath(home, 'profiles', 'default', 'state', 'state.db');
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare(
        `SELECT chat_id, resume_pending, (SELECT count(*) FROM messages
           WHERE session_id = sessions.id AND display_kind = 'auto_continue') AS resumed
         FROM sessions ORDER BY chat_id`,
      )
      .all() as Row[];
  } finally {
    database.close();
  }
}

const sorted = (names: Iterable<string>) => [...names].sort();

t.test(
  'a drain of a hundred turns ends in its budget; the next gateway takes up exactly what it interrupted',
  async (t) => {
    const { step, finish } = model();
    const server = await startModelServer(t, step);
    const home = makeHome(
      t,
      profileFile('default', {
        agent: { driver: 'openai', base_url: server.baseUrl, api_key: 'sk-test', model: 'test' },
        platforms: { api_server: { enabled: true, port: 0 } },
        drain_seconds: DRAIN_SECONDS,
        // a limit, not a wait: the guard must not blame the gateway for a host that starves it
        interrupt_grace_seconds: 15,
        jobs_drain_seconds: 0,
        // or the restart would wait for the endless ones before it begins to drain
        after_turn_seconds: 0,
        turns: { inactivity_seconds: INACTIVITY_SECONDS, note_seconds: 0, warning_seconds: 0 },
      }),
    );
    await up(t, home);
    const ready = await untilStatus(
      home,
      'ready',
      (now) => rowOf(now, 'default')?.state === 'ready',
    );
    const listen = rowOf(ready, 'default')?.listen ?? [];
    const url = new URL(listen.find((one) => one.startsWith('http')) ?? 'missing:');
    const socket = (listen.find((one) => one.startsWith('unix:')) ?? '').slice('unix:'.length);
    t.equal(socket.endsWith(localSocketPath('/x', 'default').slice('/x'.length)), true);
    const chats = new Map<string, ChatClient>();
    const working = [...namesOf('finishing'), ...namesOf('endless'), ...namesOf('wedged')];
    const join = async (name: string) => {
      const client = new ChatClient(socket);
      t.teardown(() => client.socket.destroy());
      chats.set(name, client);
      await client.line('welcome');
    };
    // who comes during the restart waits for the next gateway: all of these are here before
    await Promise.all([...working, ...namesOf('asking')].map(join));
    const say = (name: string, text: string) =>
      chats.get(name)?.send({ code: 'message', session: name, text });
    // few at once: a machine that starts all of them slowly must not take them for silent
    for (const [nth, name] of working.entries()) {
      say(name, name);
      if ((nth + 1) % STARTING_AT_ONCE === 0 || nth + 1 === working.length) {
        await until('they are with the model', () => server.calls.length === nth + 1);
      }
    }
    const port = watchPort(url);
    for (const name of namesOf('asking')) say(name, '/restart');
    const asked = await Promise.all(
      namesOf('asking').map(async (name) => (await chats.get(name)?.line('final'))?.text ?? ''),
    );
    t.equal(asked.filter((text) => text.startsWith('Restarting')).length, 1);
    t.equal(asked.filter((text) => text.includes('under way')).length, MIX.asking - 1);
    finish();

    const endOf = (name: string) => {
      const lines = chats.get(name)?.lines ?? [];
      const end = lines.find(({ code }) => code === 'final' || code === 'error');
      if (end?.code === 'final') return end.text.endsWith(`done ${name}`) ? 'answered' : end.text;
      return end?.code === 'error' ? end.error.message : 'nothing';
    };
    const after = await untilStatus(home, 'the next one is ready', (now) => {
      const row = rowOf(now, 'default');
      return row?.state === 'ready' && row.generation === 2;
    });
    const named = (wanted: (end: string) => boolean) =>
      sorted(working.filter((name) => wanted(endOf(name))));
    t.strictSame(
      named((end) => end === 'answered'),
      sorted(namesOf('finishing')),
    );
    t.strictSame(
      named((end) => /stops or restarts/.test(end)),
      sorted(namesOf('endless')),
    );
    t.strictSame(
      named((end) => /nothing happened/.test(end)),
      sorted(namesOf('wedged')),
    );

    const row = rowOf(after, 'default');
    t.match(row?.restarts, { planned: 1, total: 1, failure: 0, lost: 0 });
    t.match(row?.lastExit, { code: 75, signal: null, cause: 'planned' });
    await until('what was cut off is answered', () =>
      conversations(home).every(({ resume_pending }) => resume_pending === 0),
    );
    const resumed = conversations(home).filter(({ resumed: times }) => times > 0);
    t.strictSame(resumed.map(({ chat_id }) => chat_id).sort(), sorted(namesOf('endless')));
    t.ok(resumed.every(({ resumed: times }) => times === 1));
    t.equal(server.calls.length, working.length + MIX.endless, 'nothing else went to the model');

    const { faults, answers: healthy } = await port.stop();
    t.strictSame(faults, [], 'the port was never closed');
    t.ok(healthy > 0);
    t.ok(
      chats
        .get('endless-0')
        ?.lines.some((line) => line.code === 'notice' && /restarts/.test(line.text)),
    );
    const back = new ChatClient(socket);
    t.teardown(() => back.socket.destroy());
    back.send({ code: 'message', session: 'endless-0', text: '/stop' });
    const heard = [(await back.line('notice', 1)).text, (await back.line('notice', 2)).text];
    t.strictSame(sorted(heard), ['The gateway is back.', 'resumed endless-0']);
  },
);
