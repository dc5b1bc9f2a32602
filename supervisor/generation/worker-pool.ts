import cluster, { type Worker } from 'node:cluster';
import { Duplex } from 'node:stream';
import { parseFromWorker } from '../../src/core/ipc.js';
import { packageFile } from '../../src/core/package-root.js';
import { SCOPE_VARIABLE } from '../../src/core/scope.js';
import { WATCH_PIPE_ARGUMENT, WATCH_PIPE_FD } from '../../src/core/watch.js';
import { WatchChannel } from './watch-channel.js';

export interface PooledWorker {
  readonly worker: Worker;
  /** the tag in its environment; the same for its whole life */
  readonly scope: string;
  /** to its watchdog thread, which lives before anything else of it does */
  readonly watch: WatchChannel | undefined;
  /** calls back, in order, once it can take messages; never when it dies before */
  whenBooted(callback: () => void): void;
}

/**
 * Forks cluster workers. One may be booted before anybody knows which profile it will be:
 * what it is travels in the assignment message, so a waiting worker fits any profile.
 */
export class WorkerPool {
  readonly #scopePrefix: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #spare: PooledWorker | undefined;
  #serial = 0;

  /**
   * @param environment the workers' whole environment; nothing else of ours reaches them
   * @param exec the program that a worker runs
   */
  constructor(
    scopePrefix: string,
    environment: Readonly<Record<string, string>>,
    exec = packageFile('dist', 'bin', 'gateway.js'),
  ) {
    this.#scopePrefix = scopePrefix;
    this.#environment = { ...unsetOurs(), ...environment };
    cluster.setupPrimary({
      exec,
      args: [WATCH_PIPE_ARGUMENT],
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
  }

  /** Boots a spare when there is none. */
  prefork(): void {
    this.#spare ??= this.#fork();
  }

  take(): PooledWorker {
    const taken = this.#spare;
    this.#spare = undefined;
    if (taken !== undefined && !taken.worker.isDead() && taken.worker.isConnected()) return taken;
    return this.#fork();
  }

  /** The waiting worker is not needed; it holds nothing, so it is simply ended. */
  dropSpare(): void {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) spare.worker.process.kill('SIGKILL');
  }

  #fork(): PooledWorker {
    const scope = `${this.#scopePrefix}worker:${++this.#serial}`;
    const worker = cluster.fork({ ...this.#environment, [SCOPE_VARIABLE]: scope });
    const pipe = worker.process.stdio[WATCH_PIPE_FD];
    // undefined when there was no process at all
    const watch = pipe instanceof Duplex ? new WatchChannel(pipe) : undefined;
    const pooled = { worker, scope, watch, whenBooted: watchBoot(worker) };
    // until it is taken nobody else listens; an 'error' event without a listener would end us
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#spare?.worker === worker) this.#spare = undefined;
    });
    return pooled;
  }
}

/**
 * A message that reaches a worker before its module runs is lost (node:cluster listens for it and
 * drops it), so nothing is sent before its `hello`.
 */
function watchBoot(worker: Worker): PooledWorker['whenBooted'] {
  let booted = false;
  const waiting: (() => void)[] = [];
  const listen = (raw: unknown): void => {
    const parsed = parseFromWorker(raw);
    if (parsed.kind !== 'message' || parsed.message.code !== 'hello') return;
    worker.off('message', listen);
    booted = true;
    for (const callback of waiting) callback();
  };
  worker.on('message', listen);
  return (callback) => {
    if (booted) callback();
    else waiting.push(callback);
  };
}

/** cluster.fork merges our environment into the worker's: every name of ours is unset first. */
function unsetOurs(): Record<string, undefined> {
  return Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
}
