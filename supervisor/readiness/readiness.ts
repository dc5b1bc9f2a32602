import type { Readable } from 'node:stream';
import type { Readiness } from '../../src/config/model.js';
import { clampTimerMs } from '../../src/core/durations.js';
import { compileLinearPattern } from '../../src/core/linear-pattern.js';
import { pollUntilAnswered } from './http-probe.js';
import { openNotifySocket } from './notify-socket.js';

/** What a readiness watch may say; `ready` at most once. */
export interface ReadinessListener {
  ready(): void;
  /** the program asks for more time, or tells what it is doing */
  phase(phase: string, leaseMs: number): void;
  /** the program's own sentence about itself (sd_notify STATUS=) */
  failed(detail: string): void;
}

/** A running watch for one of the five kinds of spec/cli.md. */
export interface ReadinessWatch {
  /** added to the program's environment */
  readonly environment: Readonly<Record<string, string>>;
  /** the program gets a pipe as file descriptor 3 */
  readonly wantsPipe: boolean;
  /** called once the program runs */
  begin(pipe: Readable | undefined): void;
  /** every line of its output */
  line(text: string): void;
  stop(): void;
}

const NOTHING: ReadinessWatch = {
  environment: {},
  wantsPipe: false,
  begin: () => undefined,
  line: () => undefined,
  stop: () => undefined,
};

export interface ReadinessPlace {
  /** where a notify socket may be bound */
  readonly notifySocket: string;
  /** who must be able to write to it; undefined: we alone */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Starts watching before the program exists, so that no early word is missed. */
export function watchReadiness(
  readiness: Readiness,
  place: ReadinessPlace,
  listener: ReadinessListener,
): ReadinessWatch {
  switch (readiness.kind) {
    case 'fd':
      return watchPipe(listener);
    case 'notify':
      return watchNotify(place, listener);
    case 'http':
      return watchHttp(readiness.url, listener);
    case 'log':
      return watchLog(compileLinearPattern(readiness.pattern), listener);
    case 'started':
      return watchTimer(readiness.afterMs, listener);
    default:
      return readiness satisfies never;
  }
}

/** A newline on descriptor 3, as s6 has it. */
function watchPipe(listener: ReadinessListener): ReadinessWatch {
  let pipe: Readable | undefined;
  return {
    ...NOTHING,
    wantsPipe: true,
    begin(given) {
      pipe = given;
      given?.on('error', () => undefined);
      given?.on('data', (chunk: Buffer) => {
        if (!chunk.includes(NEWLINE)) return;
        listener.ready();
        given.destroy();
      });
    },
    stop: () => void pipe?.destroy(),
  };
}

const NEWLINE = 0x0a;

function watchNotify(place: ReadinessPlace, listener: ReadinessListener): ReadinessWatch {
  const socket = openNotifySocket(place, listener);
  const environment = { NOTIFY_SOCKET: place.notifySocket };
  return { ...NOTHING, environment, stop: () => socket.close() };
}

function watchHttp(url: string, listener: ReadinessListener): ReadinessWatch {
  const aborter = new AbortController();
  return {
    ...NOTHING,
    begin() {
      pollUntilAnswered(url, aborter.signal).then(
        () => listener.ready(),
        () => undefined, // aborted: the generation ended first
      );
    },
    stop: () => aborter.abort(),
  };
}

function watchLog(pattern: RegExp, listener: ReadinessListener): ReadinessWatch {
  let seen = false;
  return {
    ...NOTHING,
    line(text) {
      if (seen || !pattern.test(text)) return;
      seen = true;
      listener.ready();
    },
  };
}

/** Still alive after so long: the weakest kind, and the default. */
function watchTimer(afterMs: number, listener: ReadinessListener): ReadinessWatch {
  let timer: NodeJS.Timeout | undefined;
  return {
    ...NOTHING,
    begin() {
      timer = setTimeout(() => listener.ready(), clampTimerMs(afterMs));
    },
    stop: () => clearTimeout(timer),
  };
}
