import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inheritContainment } from '../../src/containment/index.js';
import { TOOL_NAMES } from '../../src/core/assignment.js';
import { createLog } from '../../src/gateway/log.js';
import type { ProcessNotice } from '../../src/gateway/processes/notifier.js';
import {
  type GatewayProcesses,
  openProcesses,
  type ProcessesOptions,
} from '../../src/gateway/processes/open-processes.js';
import type { OpenTurn } from '../../src/gateway/processes/turn-claims.js';
import { createTools } from '../../src/gateway/tools/create-tools.js';
import type { Tool } from '../../src/gateway/tools/port.js';
import { runTool } from '../../src/gateway/tools/run-tool.js';
import { shortDir } from './gateway-assignment.js';
import { isAlive } from './gateway-processes.js';
import { until } from './gateway-within.js';

interface Test {
  teardown(action: () => unknown): unknown;
}

export const ORIGIN = {
  sessionKey: 'agent:main:local:dm',
  sessionId: 's1',
  platform: 'local',
  chatId: undefined,
} as const;

const SECRET = 'a-secret-of-the-profile';

/** What a tool said, parsed. */
export type Said = Readonly<Record<string, unknown>> & {
  readonly process_id: string;
  readonly pid: number;
  readonly output: string;
  readonly error: string;
};

/** The processes and tools of a gateway without the gateway: real commands, real files. */
export class ToolBench {
  readonly directory: string;
  readonly processes: GatewayProcesses;
  readonly notices: ProcessNotice[] = [];
  readonly logLines: string[] = [];
  turn: OpenTurn;
  readonly #tools: readonly Tool[];
  #turns = 0;

  constructor(t: Test, options: Partial<ProcessesOptions> & { readonly directory?: string } = {}) {
    this.directory = options.directory ?? shortDir(t);
    mkdirSync(this.#stateDir, { recursive: true });
    const tag = `bench:${process.pid}:${this.directory}`;
    const grant = {
      place: undefined,
      weakerBecause: 'a test',
      memoryBytesPerProcess: undefined,
      holdsMemory: false,
    };
    const containment = inheritContainment(grant, { tag, toolMemoryBytes: undefined });
    this.processes = openProcesses({
      stateDir: this.#stateDir,
      env: { PATH: process.env.PATH ?? '', A_SECRET: SECRET },
      secrets: [SECRET],
      containment: () => containment,
      onNotice: (notice) => this.notices.push(notice),
      log: createLog((line) => this.logLines.push(line), {}),
      ...options,
      limits: { sweepMs: 20, checkpointDelayMs: 1, ...options.limits },
    });
    const { processes, directory: cwd } = this;
    const self = { profile: 'default', pids: [process.pid, process.ppid] };
    this.#tools = createTools(TOOL_NAMES, { processes, cwd, self, secrets: [SECRET] });
    this.turn = this.nextTurn();
    t.teardown(() => this.processes.close());
  }

  get #stateDir(): string {
    return join(this.directory, 'state');
  }

  get checkpoint(): string {
    try {
      return readFileSync(join(this.#stateDir, 'processes.json'), 'utf8');
    } catch {
      return '';
    }
  }

  nextTurn(sessionId: string = ORIGIN.sessionId): OpenTurn {
    this.turn = this.processes.claims.begin(`turn-${++this.#turns}`, { ...ORIGIN, sessionId });
    return this.turn;
  }

  async call(name: string, input: object, signal = new AbortController().signal): Promise<Said> {
    const log = createLog((line) => this.logLines.push(line), {});
    const { turnId } = this.turn.owner;
    const asked = { name, input: JSON.stringify(input) };
    return JSON.parse(await runTool(this.#tools, asked, { turnId, signal, log })) as Said;
  }

  terminal(command: string, more: object = {}): Promise<Said> {
    return this.call('terminal', { command, ...more });
  }

  background(command: string, more: object = {}): Promise<Said> {
    return this.terminal(command, { background: true, ...more });
  }

  process(action: string, more: object = {}): Promise<Said> {
    return this.call('process', { action, ...more });
  }
}

export function gone(pid: number): Promise<unknown> {
  return until(() => !isAlive(pid), `the end of pid ${pid}`);
}
