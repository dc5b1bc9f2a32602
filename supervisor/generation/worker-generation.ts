import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import { type DrainReason, parseFromWorker, type ToWorker } from '../../src/core/ipc.js';
import { SCOPE_VARIABLE } from '../../src/core/scope.js';
import { type Generation, type GenerationListener, outcomeOf } from './generation.js';
import type { WorkerPool } from './worker-pool.js';

/** A worker that did not take a connection by then is not going to: the next one is tried. */
const HAND_OVER_MS = 5000;

/** Makes a cluster worker the given profile. */
export function spawnWorkerGeneration(
  pool: WorkerPool,
  assignment: GatewayAssignment,
  listener: GenerationListener,
): Generation {
  const pooled = pool.take();
  const { worker } = pooled;
  const handOvers = new HandOvers(worker);
  listenTo(worker, listener, handOvers);
  const scoped = {
    ...assignment,
    env: { ...assignment.env, [SCOPE_VARIABLE]: pooled.scope },
  };
  send(worker, { code: 'assign', assignment: scoped });
  return {
    number: assignment.generation,
    pid: worker.process.pid,
    hasScope: (scope) => scope === pooled.scope,
    ownSession: false,
    drain: (reason: DrainReason, budgetMs: number) => {
      if (!send(worker, { code: 'drain', reason, budgetMs })) worker.process.kill('SIGTERM');
    },
    hurry: () => void send(worker, { code: 'hurry' }),
    takeConnection: (id, socket, done) => handOvers.start(id, socket, done),
    answerListen: (id, answer) =>
      void send(worker, {
        code: 'listen-result',
        id,
        address: 'address' in answer ? answer.address : undefined,
        error: 'error' in answer ? answer.error : undefined,
      }),
  };
}

/** At most one connection is on its way; the worker's `taken` lets the next one go. */
class HandOvers {
  readonly #worker: Worker;
  #settle: (() => void) | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  start(id: number, socket: Socket, done: () => void): boolean {
    if (!this.#worker.isConnected()) return false;
    const timer = setTimeout(() => this.confirm(), HAND_OVER_MS);
    this.#settle = () => {
      clearTimeout(timer);
      done();
    };
    const message: ToWorker = { code: 'connection', id };
    this.#worker.process.send?.(message, socket, (error) => {
      if (error !== null) this.confirm();
    });
    return true;
  }

  confirm(): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.();
  }
}

function listenTo(worker: Worker, listener: GenerationListener, handOvers: HandOvers): void {
  worker.on('message', (raw: unknown) => {
    const parsed = parseFromWorker(raw);
    if (parsed.kind === 'foreign') return;
    if (parsed.kind === 'broken') {
      listener.protocolBroken(parsed.code);
      return;
    }
    const { message } = parsed;
    switch (message.code) {
      case 'hello':
        return;
      case 'taken':
        handOvers.confirm();
        return;
      case 'phase':
        listener.phase(message.phase, message.leaseMs);
        return;
      case 'listen':
        listener.listen(message.id, message.address);
        return;
      case 'ready':
        listener.ready(message.report);
        return;
      case 'report':
        listener.report(message.report);
        return;
      case 'degraded':
        listener.degraded(message.detail);
        return;
      case 'recovered':
        listener.recovered();
        return;
      case 'restart-wanted':
        listener.restartWanted(message.detail);
        return;
      case 'farewell':
        listener.farewell({ detail: message.detail, remedy: message.remedy });
        return;
      default:
        message satisfies never;
    }
  });
  worker.process.stdout?.on('data', (chunk: Buffer) => listener.output('stdout', chunk));
  worker.process.stderr?.on('data', (chunk: Buffer) => listener.output('stderr', chunk));
  worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
    handOvers.confirm();
    listener.exited({ outcome: outcomeOf(code, signal || null), spawnError: undefined });
    releasePipes(worker);
  });
}

/** A grandchild may hold the pipes for ever: exit is what counts, what is left of output is drained shortly. */
function releasePipes(worker: Worker): void {
  const release = setTimeout(() => {
    worker.process.stdout?.destroy();
    worker.process.stderr?.destroy();
  }, PIPE_LINGER_MS);
  release.unref();
}

const PIPE_LINGER_MS = 500;

function send(worker: Worker, message: ToWorker): boolean {
  if (!worker.isConnected()) return false;
  // the error of a channel that closes meanwhile is told by the exit that follows
  worker.process.send?.(message, undefined, undefined, () => undefined);
  return true;
}
