import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Scope } from '../../src/containment/index.js';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import { type DrainReason, parseFromWorker, type ToWorker } from '../../src/core/ipc.js';
import { SCOPE_VARIABLE } from '../../src/core/scope.js';
import { type Generation, type GenerationListener, outcomeOf } from './generation.js';
import { Guests } from './guests.js';
import { OutputLines } from './output-lines.js';
import { passOn } from './pass-on.js';
import type { PooledWorker, WorkerPool } from './worker-pool.js';

/** A worker that did not take a connection by then is not going to: the next one is tried. */
const HAND_OVER_MS = 5000;

/** What depends on which worker it will be: its tag is older than its profile. */
export interface WorkerPlan {
  readonly openScope: (tag: string) => Scope;
  readonly assignmentIn: (scope: Scope) => GatewayAssignment;
}

/** Makes a cluster worker the given profile. */
export function spawnWorkerGeneration(
  pool: WorkerPool,
  plan: WorkerPlan,
  listener: GenerationListener,
): Generation {
  const pooled = pool.take();
  const { worker } = pooled;
  const scope = plan.openScope(pooled.scope);
  // it has started nothing yet, so all that it ever starts is inside
  scope.adopt({ pid: worker.process.pid, ownSession: false, child: worker.process });
  const assignment = plan.assignmentIn(scope);
  const handOvers = new HandOvers(worker);
  const scoped = {
    ...assignment,
    env: { ...assignment.env, [SCOPE_VARIABLE]: pooled.scope },
  };
  const tell = (message: ToWorker): void => pooled.whenBooted(() => send(worker, message));
  const channel: Pick<Generation, 'takeConnection' | 'answerListen'> = {
    takeConnection: (id, socket, done) => handOvers.start(id, socket, done),
    answerListen: (id, answer) =>
      tell({
        code: 'listen-result',
        id,
        address: 'address' in answer ? answer.address : undefined,
        error: 'error' in answer ? answer.error : undefined,
      }),
  };
  const { profile } = assignment;
  const guests = new Guests({ profile, pid: worker.process.pid, tell, ...channel });
  listenTo(pooled, listener, { handOvers, guests });
  tell({ code: 'assign', assignment: scoped });
  return {
    number: assignment.generation,
    pid: worker.process.pid,
    scope,
    watch: pooled.watch,
    drain: (reason: DrainReason, budgetMs: number) => {
      if (worker.isConnected()) tell({ code: 'drain', reason, budgetMs });
      else worker.process.kill('SIGTERM');
    },
    hurry: () => tell({ code: 'hurry' }),
    guests,
    ...channel,
  };
}

/** For each listener at most one connection is on its way; `taken` lets its next one go. */
class HandOvers {
  readonly #worker: Worker;
  readonly #settlers = new Map<number, () => void>();

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  start(id: number, socket: Socket, done: () => void): boolean {
    if (!this.#worker.isConnected()) return false;
    const timer = setTimeout(() => this.confirm(id), HAND_OVER_MS);
    this.#settlers.set(id, () => {
      clearTimeout(timer);
      done();
    });
    const message: ToWorker = { code: 'connection', id };
    this.#worker.process.send?.(message, socket, undefined, (error) => {
      if (error !== null) this.confirm(id);
    });
    return true;
  }

  confirm(id: number): void {
    const settle = this.#settlers.get(id);
    this.#settlers.delete(id);
    settle?.();
  }

  /** The worker is gone: nobody confirms any more. */
  confirmAll(): void {
    for (const id of [...this.#settlers.keys()]) this.confirm(id);
  }
}

interface Inside {
  readonly handOvers: HandOvers;
  readonly guests: Guests;
}

function listenTo(
  { worker, watch }: PooledWorker,
  listener: GenerationListener,
  { handOvers, guests }: Inside,
): void {
  worker.on('message', (raw: unknown) => {
    const parsed = parseFromWorker(raw);
    if (parsed.kind === 'foreign') return;
    if (parsed.kind === 'broken') {
      listener.protocolBroken(parsed.code);
      return;
    }
    const { message } = parsed;
    if (guests.take(message)) return;
    switch (message.code) {
      case 'hello':
      case 'unserved':
        return;
      case 'taken':
        handOvers.confirm(message.id);
        return;
      default:
        passOn(message, listener);
    }
  });
  const output = new OutputLines(worker.process, (stream, text) => {
    if (!guests.line(stream, text)) listener.line(stream, guests.mask(text));
  });
  worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
    const at = Date.now();
    handOvers.confirmAll();
    const outcome = outcomeOf(code, signal || null);
    const tell = () => {
      guests.hostEnded();
      listener.exited({ outcome, at, spawnError: undefined });
    };
    // the last words of its watchdog are the reason of the end
    output.finish(() => (watch === undefined ? tell() : watch.finish(tell)));
  });
}

/** A channel that is closed, or closes meanwhile, is told by the exit that follows. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.process.send?.(message, undefined, undefined, () => undefined);
}
