import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseContainment } from '../src/containment/index.js';
import type { AgentDriver } from '../src/gateway/agents/port.js';
import { createLog } from '../src/gateway/log.js';
import { PROCESS_LIMITS } from '../src/gateway/processes/limits.js';
import { openProcesses } from '../src/gateway/processes/open-processes.js';
import { openSessionStore } from '../src/gateway/sessions/store.js';
import { createTools } from '../src/gateway/tools/create-tools.js';
import type { Tool } from '../src/gateway/tools/port.js';
import { runTool } from '../src/gateway/tools/run-tool.js';
import { TurnRunner } from '../src/gateway/turns/runner.js';
import { type Figure, mb } from './report.js';

const TURNS = 10_000;
/** the first look is late enough that a gateway of any age holds what it shows */
const LOOKS_AT = [0.1, 0.5, 1];
const WANTED_GROWTH_MB = 20;

/** What a gateway holds at one moment. */
export interface Holding {
  readonly descriptors: number;
  readonly openScopes: number;
  readonly tracked: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export interface Soak {
  readonly answered: number;
  readonly before: Holding;
  readonly after: Holding;
  /** what was held after so many turns; the first is `before`, the last is `after` */
  readonly looks: readonly (readonly [number, Holding])[];
}

/** A gateway of any age holds what a young one does, however many commands it has run. */
export async function measureTurns(): Promise<Figure> {
  const { answered, before, after, looks } = await soakTurns(TURNS);
  // what garbage there is at a look is chance; what a leak of any kind grows is the resident set
  const grownMb = (after.rssBytes - before.rssBytes) / 1e6;
  const isFlat =
    after.descriptors <= before.descriptors &&
    after.openScopes <= before.openScopes &&
    after.tracked <= PROCESS_LIMITS.maxTracked;
  return {
    what: `${TURNS} turns with a process each: descriptors, scopes, memory`,
    wanted: `flat, ≤ ${WANTED_GROWTH_MB} MB`,
    got: `${isFlat ? 'flat' : 'grown'}, ${grownMb.toFixed(1)} MB`,
    isMet: isFlat && answered === TURNS && grownMb <= WANTED_GROWTH_MB,
    from: looks.map(([turns, holding]) => `${turns}: ${renderHolding(holding)}`).join('; '),
  };
}

/** Runs so many turns, each of which starts a process and sees it end. */
export async function soakTurns(turns: number): Promise<Soak> {
  const directory = mkdtempSync(join(tmpdir(), 'gwb-'));
  const stateDir = join(directory, 'state');
  mkdirSync(stateDir);
  const scopes = countScopes();
  const log = createLog(() => {}, {});
  const processes = openProcesses({
    stateDir,
    env: { PATH: process.env.PATH ?? '' },
    secrets: [],
    containment: () => scopes.containment,
    onNotice: () => {},
    log,
  });
  const store = await openSessionStore({ path: join(stateDir, 'state.db'), onHealth: () => {} });
  try {
    await processes.recover();
    const tools = createTools(['terminal', 'process'], {
      processes,
      cwd: directory,
      secrets: [],
      self: { profile: 'default', pids: [] },
    });
    const runner = new TurnRunner({
      profile: 'default',
      store,
      agent: worker(tools),
      onWork: () => {},
      claims: processes.claims,
      inactivity: { limitMs: 60_000, warningMs: 0, noteMs: 0 },
    });
    const look = () => holdingOf(scopes.count(), processes.registry.all.length);
    const looks: [number, Holding][] = [];
    let answered = 0;
    let done = 0;
    for (const at of LOOKS_AT.map((share) => Math.ceil(turns * share))) {
      answered += await runTurns(runner, at - done);
      done = at;
      looks.push([done, look()]);
    }
    const [[, before] = [0, look()]] = looks;
    return { answered, before, after: looks.at(-1)?.[1] ?? before, looks };
  } finally {
    await processes.close();
    await scopes.containment.close();
    store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runTurns(runner: TurnRunner, count: number): Promise<number> {
  let answered = 0;
  for (let turn = 0; turn < count; turn++) {
    const outcome = await runner.submit({
      platform: 'local',
      // as many conversations as turns: none of them may leave anything behind
      conversation: { kind: 'stateless', messages: [{ role: 'user', content: 'go' }] },
      text: 'go',
      messageId: undefined,
      maxTokens: undefined,
      workKind: 'turn',
      onDelta: () => {},
      signal: new AbortController().signal,
    });
    if (outcome.kind === 'answered' && outcome.text === 'done') answered++;
  }
  return answered;
}

/** An agent that needs no model: a command in the foreground, and every fourth time one behind. */
function worker(tools: readonly Tool[]): AgentDriver {
  const log = createLog(() => {}, {});
  let turns = 0;
  return {
    historyMessages: 0,
    run: async ({ turnId, signal }) => {
      const call = (name: string, input: object) =>
        runTool(tools, { name, input: JSON.stringify(input) }, { turnId, signal, log });
      const isBehind = turns++ % 4 === 3;
      const command = 'echo done';
      const said = JSON.parse(await call('terminal', { command, background: isBehind }));
      const end = isBehind
        ? JSON.parse(await call('process', { action: 'wait', process_id: said.process_id }))
        : said;
      return { text: String(end.output).trim(), finishReason: 'stop', usage: undefined };
    },
  };
}

/** The best of this host, and how many scopes of it are open. */
function countScopes() {
  const tag = `bench-${process.pid}`;
  const treeName = `gatewarden-${tag}`;
  const containment = chooseContainment({ tag, leaf: 'gateway', treeName });
  const openScope = containment.openScope.bind(containment);
  let open = 0;
  containment.openScope = (name, options) => {
    const scope = openScope(name, options);
    const dispose = scope.dispose.bind(scope);
    open++;
    scope.dispose = () => {
      const isGone = dispose();
      if (isGone) open--;
      return isGone;
    };
    return scope;
  };
  const { place } = containment;
  /** the directories tell the truth where there are any */
  const count = () =>
    place === undefined
      ? open
      : readdirSync(place.tree).filter((name) => name.startsWith('turn-')).length;
  return { containment, count };
}

function holdingOf(openScopes: number, tracked: number): Holding {
  globalThis.gc?.();
  const descriptors = readdirSync('/proc/self/fd').length;
  const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage();
  return { descriptors, openScopes, tracked, heapBytes, rssBytes };
}

function renderHolding({ descriptors, openScopes, heapBytes, rssBytes }: Holding): string {
  return `${descriptors} descriptors, ${openScopes} scopes, ${mb(heapBytes)} heap, ${mb(rssBytes)} RSS`;
}
