import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewardenError } from '../core/errors.js';
import { type FromWorker, parseToWorker } from '../core/ipc.js';
import { packageVersion } from '../core/version.js';
import { guardOutput } from '../observability/stdio-guard.js';
import { becomeAccount } from './become-account.js';
import { flushStreams } from './flush-streams.js';
import { type LastWords, lastWordsOf } from './last-words.js';
import type { GatewayWatchdog } from './watch/gateway-watchdog.js';
import { WorkerLife } from './worker-life.js';

/** The most that last words may take: a parent that does not read must not keep us alive. */
const LAST_WORDS_MS = 1000;

/** A supervised gateway in this process, from its first breath to its exit. */
export function liveAsWorker(watchdog: GatewayWatchdog | undefined): void {
  const outlet = new Outlet();
  if (cluster.worker === undefined) refuseDirectStart(outlet);
  else live(cluster.worker, outlet, watchdog);
}

function live(worker: Worker, outlet: Outlet, watchdog: GatewayWatchdog | undefined): void {
  const life = new WorkerLife({
    send,
    writeLog: (line) => outlet.stdout.write(line),
    becomeKnownAs,
    becomeAccount,
    exit: (code, words) => outlet.exit(code, words),
    watchdog,
  });
  process.on('uncaughtException', (thrown) => life.fail(thrown));
  process.on('unhandledRejection', (thrown) => life.fail(thrown));
  // the terminal's Ctrl+C reaches the whole group; the supervisor decides what it means
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => life.terminate());
  process.on('SIGUSR2', () => life.restart('SIGUSR2'));
  worker.on('disconnect', () => {
    // without this, node:cluster ends the process at once
    worker.exitedAfterDisconnect = true;
    life.loseSupervisor();
  });
  process.on('message', (raw: unknown, handle: unknown) => {
    const parsed = parseToWorker(raw);
    if (parsed.kind === 'message') life.take(parsed.message, handle as Socket | undefined);
    if (parsed.kind !== 'broken') return;
    const got = `code ${parsed.code}`;
    life.fail(new GatewardenError('protocol-broken', { sender: 'the supervisor', got }));
  });
  send({ code: 'hello', pid: process.pid, version: packageVersion() });
  preload();
}

/** While nobody has said who I am: what every profile needs is loaded. */
function preload(): void {
  const needed = [import('better-sqlite3'), import('./platforms/local/adapter.js')];
  // a part that is missing is told where it is needed, by whoever needs it
  Promise.all(needed).catch(() => {});
}

function send(message: FromWorker): void {
  // a channel that closes meanwhile is told by its disconnect event
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function becomeKnownAs(profile: string): void {
  process.title = `gatewarden: gateway ${profile}`;
}

/** The way out: for lines, for last words and for ourselves. */
class Outlet {
  readonly stdout = guardOutput(process.stdout);
  readonly #stderr = guardOutput(process.stderr);
  #isExiting = false;

  exit(code: number, words: LastWords | undefined): void {
    if (this.#isExiting) return;
    this.#isExiting = true;
    const said = words === undefined ? Promise.resolve() : this.#say(words);
    const gone = said.then(() => flushStreams(process));
    Promise.race([gone, delay(LAST_WORDS_MS)]).finally(() => process.exit(code));
  }

  async #say({ exitCode, detail, remedy, text }: LastWords): Promise<void> {
    this.#stderr.write(text);
    if (!process.connected) return;
    const farewell: FromWorker = { code: 'farewell', exitCode, detail, remedy };
    await new Promise<void>((resolve) => {
      process.send?.(farewell, undefined, undefined, () => resolve());
    });
  }
}

function refuseDirectStart(outlet: Outlet): void {
  const words = lastWordsOf(
    new GatewardenError('bad-argument', {
      expected: 'expected to be started by a supervisor',
      got: 'a direct start',
      hint: 'run one gateway alone with: gatewarden gateway run -p NAME',
    }),
  );
  outlet.exit(words.exitCode, words);
}
