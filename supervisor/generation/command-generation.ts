import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { CommandProgram } from '../../src/config/model.js';
import type { Scope } from '../../src/containment/index.js';
import type { Account } from '../../src/core/account.js';
import { errnoOf, GatewardenError, messageOf } from '../../src/core/errors.js';
import { EXIT } from '../../src/core/exit-codes.js';
import { EMPTY_REPORT } from '../../src/core/work.js';
import { type ReadinessWatch, watchReadiness } from '../readiness/readiness.js';
import {
  type Generation,
  type GenerationExit,
  type GenerationListener,
  isRefusingErrno,
  outcomeOf,
} from './generation.js';
import { OutputLines } from './output-lines.js';

export interface CommandSpawn {
  readonly number: number;
  readonly program: CommandProgram;
  /** the program's whole environment */
  readonly environment: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly notifySocket: string;
  /** undefined: as we are */
  readonly account: Account | undefined;
  /** takes what must be the program's alone; @throws GatewardenError when somebody has it */
  readonly claim: () => { release(): void };
}

/** Starts any program under the contract: argv without a shell, in a session of its own. */
export function spawnCommandGeneration(
  request: CommandSpawn,
  listener: GenerationListener,
): Generation {
  const claimed = tryClaim(request);
  if (claimed instanceof GatewardenError) return refusedGeneration(request, claimed, listener);
  const watch = watchReadiness(
    request.program.ready,
    { notifySocket: request.notifySocket, account: request.account },
    {
      ready: () => listener.ready(EMPTY_REPORT),
      phase: (phase, leaseMs) => listener.phase(phase, leaseMs),
      failed: (detail) => listener.degraded(detail),
    },
  );
  const child = spawnProgram(request, watch);
  listenTo(child, watch, listener);
  return {
    number: request.number,
    pid: child.pid,
    scope: request.scope,
    watch: undefined,
    drain: () => signal(child, 'SIGTERM'),
    hurry: () => signal(child, 'SIGTERM'),
    takeConnection: () => false,
    answerListen: () => undefined,
    letGo: () => claimed.release(),
  };
}

function tryClaim({ claim }: CommandSpawn): { release(): void } | GatewardenError {
  try {
    return claim();
  } catch (thrown) {
    if (thrown instanceof GatewardenError) return thrown;
    throw thrown;
  }
}

/** Nothing was spawned: it ends as a program would that found the same. */
function refusedGeneration(
  { number, scope }: CommandSpawn,
  error: GatewardenError,
  listener: GenerationListener,
): Generation {
  setImmediate(() => {
    listener.farewell({ detail: error.message, remedy: error.next });
    const outcome = { kind: 'code', code: error.exitCode } as const;
    listener.exited({ outcome, at: Date.now(), spawnError: undefined });
  });
  const nothing = () => undefined;
  return {
    number,
    pid: undefined,
    watch: undefined,
    scope,
    drain: nothing,
    hurry: nothing,
    takeConnection: () => false,
    answerListen: nothing,
    letGo: nothing,
  };
}

function spawnProgram(request: CommandSpawn, watch: ReadinessWatch): ChildProcess {
  const { argv, cwd } = request.program;
  return request.scope.spawn({
    argv,
    cwd,
    env: { ...request.environment, ...watch.environment },
    account: request.account,
    stdio: watch.wantsPipe ? ['ignore', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe'],
  });
}

function listenTo(child: ChildProcess, watch: ReadinessWatch, listener: GenerationListener): void {
  const output = new OutputLines(child, (stream, text) => {
    listener.line(stream, text);
    watch.line(text);
  });
  let ended = false;
  const end = (exit: Omit<GenerationExit, 'at'>): void => {
    if (ended) return;
    ended = true;
    watch.stop();
    const at = Date.now();
    output.finish(() => listener.exited({ ...exit, at }));
  };
  child.once('spawn', () => watch.begin((child.stdio[3] as Readable | undefined) ?? undefined));
  child.once('exit', (code, signalName) =>
    end({ outcome: outcomeOf(code, signalName), spawnError: undefined }),
  );
  child.on('error', (error) => {
    if (child.pid !== undefined) return; // a failed kill(): the exit still comes
    const refused = isRefusingErrno(errnoOf(error));
    end({
      outcome: { kind: 'code', code: refused ? EXIT.config : EXIT.failure },
      spawnError: { text: messageOf(error), refused },
    });
  });
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  // Node remembers the exit, so a reused pid is never signalled
  child.kill(name);
}
