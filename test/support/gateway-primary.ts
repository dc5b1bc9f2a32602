import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import {
  type DrainReason,
  type FromWorker,
  type ListenAddress,
  parseFromWorker,
  type ToWorker,
  toListenError,
} from '../../src/core/ipc.js';
import { packageFile } from '../../src/core/package-root.js';
import { within } from './gateway-within.js';

/** A real node:cluster primary, as small as the contract allows: binds, hands over, listens. */
export class GatewayPrimary {
  readonly #kept = new Map<string, KeptSocket>();

  constructor() {
    const exec = packageFile('dist', 'bin', 'gateway.js');
    cluster.setupPrimary({ exec, args: [], execArgv: [], silent: true });
  }

  fork(): ForkedGateway {
    return new ForkedGateway(cluster.fork(), (address) => this.#keep(address));
  }

  close(): void {
    for (const kept of this.#kept.values()) kept.close();
  }

  async #keep(address: ListenAddress): Promise<KeptSocket> {
    const key = JSON.stringify(address);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const opened = await KeptSocket.open(address);
    this.#kept.set(key, opened);
    return opened;
  }
}

interface Test {
  teardown(action: () => unknown): unknown;
}

/** A worker that has booted and is nobody yet; killed after the test. */
export async function bootWorker(t: Test, primary: GatewayPrimary): Promise<ForkedGateway> {
  const worker = primary.fork();
  t.teardown(() => worker.worker.process.kill('SIGKILL'));
  await worker.said('hello');
  return worker;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

type MessageOf<Code extends FromWorker['code']> = Extract<FromWorker, { code: Code }>;

/** One worker with everything it said. */
export class ForkedGateway {
  readonly worker: Worker;
  readonly messages: FromWorker[] = [];
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';
  readonly #keep: (address: ListenAddress) => Promise<KeptSocket>;
  readonly #waiters = new Set<() => void>();
  readonly #taken = new Map<number, () => void>();
  readonly #holds: (() => void)[] = [];

  constructor(worker: Worker, keep: (address: ListenAddress) => Promise<KeptSocket>) {
    this.worker = worker;
    this.#keep = keep;
    this.exited = once(worker, 'exit').then(([code, signal]) => ({ code, signal: signal || null }));
    worker.on('message', (raw: unknown) => this.#take(raw));
    worker.on('error', () => {});
    worker.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    worker.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  get pid(): number {
    return this.worker.process.pid ?? 0;
  }

  send(message: ToWorker, socket?: Socket): void {
    if (this.worker.isConnected()) this.worker.process.send?.(message, socket, () => {});
  }

  assign(assignment: GatewayAssignment): void {
    this.send({ code: 'assign', assignment });
  }

  /** Asks for a drain; connections that come from now on wait for the next generation. */
  drain(reason: DrainReason, budgetMs: number): void {
    for (const hold of this.#holds) hold();
    this.send({ code: 'drain', reason, budgetMs });
  }

  /** The first message of the code that fits, past or to come; also fails when the worker exits. */
  async said<Code extends FromWorker['code']>(
    code: Code,
    fits: (message: MessageOf<Code>) => boolean = () => true,
  ): Promise<MessageOf<Code>> {
    const find = () =>
      this.messages.find(
        (message): message is MessageOf<Code> =>
          message.code === code && fits(message as MessageOf<Code>),
      );
    const waiting = new Promise<MessageOf<Code>>((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        this.#waiters.delete(look);
        resolve(found);
      };
      this.#waiters.add(look);
      look();
      this.exited.then(({ code: exitCode, signal }) => {
        reject(new Error(`exited (${exitCode ?? signal}) without ${code}: ${this.stderr}`));
      });
    });
    return within(waiting, `the message ${code}; got ${JSON.stringify(this.messages)}`);
  }

  /** Exit status, once it is gone. */
  gone(): Promise<Exit> {
    return within(this.exited, `the exit of the worker; stderr: ${this.stderr}`);
  }

  #take(raw: unknown): void {
    const parsed = parseFromWorker(raw);
    if (parsed.kind !== 'message') throw new Error(`not in the contract: ${JSON.stringify(raw)}`);
    const { message } = parsed;
    this.messages.push(message);
    // as the supervisor answers it
    if (message.code === 'restart-wanted') this.drain('restart', 5000);
    if (message.code === 'listen') void this.#listen(message.id, message.address);
    if (message.code === 'taken') this.#taken.get(message.id)?.();
    for (const look of this.#waiters) look();
  }

  async #listen(id: number, address: ListenAddress): Promise<void> {
    try {
      const kept = await this.#keep(address);
      this.send({ code: 'listen-result', id, address: kept.address, error: undefined });
      const hold = kept.handTo((socket) => this.#hand(id, socket));
      this.#holds.push(hold);
      void this.exited.then(hold);
    } catch (thrown) {
      const error = toListenError(thrown);
      this.send({ code: 'listen-result', id, address: undefined, error });
    }
  }

  #hand(id: number, socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      this.#taken.set(id, resolve);
      void this.exited.then(() => resolve());
      this.send({ code: 'connection', id }, socket);
    });
  }
}

type Hand = (socket: Socket) => Promise<void>;

interface Deferred {
  readonly promise: Promise<Hand>;
  readonly resolve: (hand: Hand) => void;
}

function deferred(): Deferred {
  let resolve: (hand: Hand) => void = () => {};
  const promise = new Promise<Hand>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

class KeptSocket {
  readonly #server: Server;
  readonly #requested: ListenAddress;
  readonly #accepted = new Set<Socket>();
  #queue: Promise<void> = Promise.resolve();
  #hand: Deferred = deferred();

  private constructor(server: Server, requested: ListenAddress) {
    this.#server = server;
    this.#requested = requested;
    server.on('connection', (socket) => {
      this.#accepted.add(socket);
      socket.on('error', () => {}).once('close', () => this.#accepted.delete(socket));
      this.#queue = this.#queue.then(async () => (await this.#hand.promise)(socket));
    });
  }

  static async open(address: ListenAddress): Promise<KeptSocket> {
    const server = createServer({ pauseOnConnect: true });
    if (address.kind === 'unix') rmSync(address.path, { force: true });
    server.listen(address.kind === 'unix' ? { path: address.path } : address);
    await once(server, 'listening');
    return new KeptSocket(server, address);
  }

  get address(): ListenAddress {
    if (this.#requested.kind === 'unix') return this.#requested;
    return { ...this.#requested, port: (this.#server.address() as AddressInfo).port };
  }

  /** @returns how this generation lets go again; connections then wait for the next one */
  handTo(hand: Hand): () => void {
    // what waits for a generation waits for this one
    this.#hand.resolve(hand);
    const mine = deferred();
    mine.resolve(hand);
    this.#hand = mine;
    return () => {
      if (this.#hand === mine) this.#hand = deferred();
    };
  }

  close(): void {
    for (const socket of this.#accepted) socket.destroy();
    this.#server.close();
  }
}
