import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/core/package-root.js';
import type { StatusReport } from '../src/core/status.js';
import { until } from './measure.js';

export const CLI = packageFile('bin', 'gatewarden.js');

/** A throw-away home with a runtime directory of its own, so that nothing of the host is touched. */
export class BenchHome {
  readonly directory = mkdtempSync(join(tmpdir(), 'gwb-'));
  readonly home = join(this.directory, 'home');
  readonly env: NodeJS.ProcessEnv;

  constructor(profiles: Readonly<Record<string, string>>) {
    const runtimeDir = join(this.directory, 'run');
    mkdirSync(runtimeDir, { mode: 0o700 });
    mkdirSync(this.home, { mode: 0o700 });
    for (const [name, yaml] of Object.entries(profiles)) {
      const directory = join(this.home, 'profiles', name);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, 'config.yaml'), yaml);
    }
    this.env = { ...process.env, XDG_RUNTIME_DIR: runtimeDir, GATEWARDEN_HOME: this.home };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A real `gatewarden up` of a home. */
export class RunningSupervisor {
  readonly #child: ChildProcess;
  readonly #home: string;

  constructor(home: BenchHome, env: NodeJS.ProcessEnv = {}) {
    this.#home = home.home;
    this.#child = spawn(process.execPath, [CLI, 'up'], {
      env: { ...home.env, ...env },
      stdio: 'ignore',
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async status(): Promise<StatusReport | undefined> {
    try {
      const { socket } = JSON.parse(
        readFileSync(join(this.#home, 'state', 'supervisor.json'), 'utf8'),
      ) as { socket: string };
      const answer = await request({ socketPath: socket, path: '/v1/status' });
      return answer?.status === 200 ? (JSON.parse(answer.body) as StatusReport) : undefined;
    } catch {
      return undefined;
    }
  }

  async allReady(): Promise<void> {
    await until('every profile ready', async () => {
      if (this.#child.exitCode !== null) throw new Error('the supervisor ended');
      const report = await this.status();
      const states = report?.profiles.map((profile) => profile.state) ?? ['none'];
      return states.every((state) => state === 'ready' || state === 'served') ? true : undefined;
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Resident memory as the kernel counts it. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One GET; undefined while nobody listens. */
export function request(
  where:
    | { readonly socketPath: string; readonly path: string }
    | { readonly port: number; readonly path: string },
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const call = get({ host: '127.0.0.1', agent: false, ...where }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('error', () => resolve(undefined));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
