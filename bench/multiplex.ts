import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { StatusReport } from '../src/core/status.js';
import { type Figure, mb, times } from './report.js';
import { BenchHome, freePort, RunningSupervisor, residentBytes } from './supervisor.js';

const PROFILES = 10;
const TURNS_PER_PROFILE = 200;
const CLIENTS_PER_PROFILE = 4;
/** one process of ten profiles must cost far less than ten … */
const WANTED_MEMORY_RATIO = 0.35;
/** … and one loop does the work of two cores at half their pace */
const WANTED_PACE_RATIO = 0.4;

interface Measured {
  readonly rssBytes: number;
  /** each page counted once for all who share it */
  readonly pssBytes: number;
  readonly turnsPerSecond: number;
}

/** Ten profiles in one process against ten processes: memory, and turns a second. */
export async function measureMultiplex(): Promise<readonly Figure[]> {
  const own = await measureTen(false);
  const served = await measureTen(true);
  const memory = served.pssBytes / own.pssBytes;
  const pace = served.turnsPerSecond / own.turnsPerSecond;
  return [
    {
      what: `memory of ${PROFILES} profiles, one process against ${PROFILES}`,
      wanted: `≤ ${times(WANTED_MEMORY_RATIO)}`,
      got: times(memory),
      isMet: memory <= WANTED_MEMORY_RATIO,
      from: `PSS ${mb(served.pssBytes)} and ${mb(own.pssBytes)}; RSS ${mb(served.rssBytes)} and ${mb(own.rssBytes)}; after the turns`,
    },
    {
      what: `turns a second of ${PROFILES} profiles, one process against ${PROFILES}`,
      wanted: `≥ ${times(WANTED_PACE_RATIO)}`,
      got: times(pace),
      isMet: pace >= WANTED_PACE_RATIO,
      from: `${served.turnsPerSecond.toFixed(0)}/s and ${own.turnsPerSecond.toFixed(0)}/s; ${TURNS_PER_PROFILE} echo turns by ${CLIENTS_PER_PROFILE} clients each, in stored sessions`,
    },
  ];
}

async function measureTen(isMultiplexed: boolean): Promise<Measured> {
  const profiles: Record<string, string> = {};
  for (let number = 0; number < PROFILES; number++) {
    const name = number === 0 ? 'default' : `p${number}`;
    const enabled = number === 0 || !isMultiplexed;
    profiles[name] = `platforms: {api_server: {enabled: ${enabled}, port: ${await freePort()}}}\n`;
  }
  const home = new BenchHome(profiles);
  const supervisor = new RunningSupervisor(home, {
    GATEWAY_MULTIPLEX_PROFILES: isMultiplexed ? '1' : '0',
  });
  try {
    await supervisor.allReady();
    const report = await supervisor.status();
    if (report === undefined) throw new Error('no status');
    const turnsPerSecond = await pace(urlsOf(report));
    const pids = report.profiles.flatMap(({ pid }) => pid ?? []);
    const rssBytes = pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
    const pssBytes = pids.reduce((sum, pid) => sum + proportionalBytes(pid), 0);
    return { rssBytes, pssBytes, turnsPerSecond };
  } finally {
    await supervisor.stop();
    home.remove();
  }
}

function urlsOf({ profiles }: StatusReport): string[] {
  return profiles.map(({ listen }) => listen.find((where) => where.startsWith('http')) ?? '');
}

async function pace(urls: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS_PER_PROFILE * urls.length });
  const clients = urls.flatMap((url) =>
    Array.from({ length: CLIENTS_PER_PROFILE }, (_, number) => ({ url, session: `c${number}` })),
  );
  const each = TURNS_PER_PROFILE / CLIENTS_PER_PROFILE;
  // the first turn of each loads what a turn needs
  await Promise.all(clients.map((client) => turns(client, 1, agent)));
  const startedAt = performance.now();
  await Promise.all(clients.map((client) => turns(client, each, agent)));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return (TURNS_PER_PROFILE * urls.length) / seconds;
}

interface Client {
  readonly url: string;
  readonly session: string;
}

async function turns({ url, session }: Client, count: number, agent: Agent): Promise<void> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'a word or two' }] });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-gatewarden-session-key': session,
  };
  for (let done = 0; done < count; done++) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent });
      call.once('error', reject);
      call.once('response', (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode));
      });
      call.end(body);
    });
    if (status !== 200) throw new Error(`a turn was answered with ${status}`);
  }
}

function proportionalBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) * 1024;
}
