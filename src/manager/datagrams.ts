import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';
import { messageOf } from '../core/errors.js';

/** The sending end of sd_notify(3). */
export interface Datagrams {
  send(text: string): void;
  close(): void;
}

interface DatagramSocket {
  send(
    message: Buffer,
    offset: number,
    length: number,
    path: string,
    callback: (error?: Error) => void,
  ): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): void;
}

/** A manager whose queue is full is asked again so often, for so long. */
const AGAIN_MS = 50;
const MAX_WAITING = 256;

/**
 * @param trouble told once: a manager that went away ends nothing of ours (it may come back)
 */
export function openDatagrams(path: string, trouble: (detail: string) => void): Datagrams {
  let told = false;
  const tell = (detail: string): void => {
    if (!told) trouble(`cannot tell the service manager at ${path}: ${detail}`);
    told = true;
  };
  // the package cannot address what begins with a zero byte, and would send into the void
  const socket = path.startsWith('@') ? undefined : openSocket(tell);
  if (path.startsWith('@')) tell('abstract sockets are not supported; bind one with a path');
  if (socket === undefined) return { send: () => undefined, close: () => undefined };
  return new Sender(socket, path, tell);
}

class Sender implements Datagrams {
  readonly #socket: DatagramSocket;
  readonly #path: string;
  readonly #tell: (detail: string) => void;
  readonly #waiting: Buffer[] = [];
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(socket: DatagramSocket, path: string, tell: (detail: string) => void) {
    this.#socket = socket;
    this.#path = path;
    this.#tell = tell;
  }

  send(text: string): void {
    if (this.#isClosed) return;
    this.#waiting.push(Buffer.from(text));
    // what is oldest is worth least
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (this.#again === undefined) this.#flush();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#socket.close();
  }

  #flush(): void {
    this.#again = undefined;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const outcome = this.#sendOne(next);
      if (outcome === 'congested') {
        this.#again = setTimeout(() => this.#flush(), AGAIN_MS);
        return;
      }
      this.#waiting.shift();
    }
  }

  /** The package calls back before it returns. */
  #sendOne(message: Buffer): 'done' | 'congested' {
    let outcome: 'done' | 'congested' = 'done';
    this.#socket.send(message, 0, message.length, this.#path, (error) => {
      if (error === undefined) return;
      if (isCongestion(error)) outcome = 'congested';
      else this.#tell(describe(error));
    });
    return outcome;
  }
}

function openSocket(tell: (detail: string) => void): DatagramSocket | undefined {
  try {
    // CommonJS with a native part, and only those under systemd need it
    const { createSocket } = createRequire(import.meta.url)('unix-dgram') as {
      createSocket(type: 'unix_dgram'): DatagramSocket;
    };
    const socket = createSocket('unix_dgram');
    socket.on('error', (error) => tell(describe(error)));
    return socket;
  } catch (error) {
    tell(messageOf(error));
    return undefined;
  }
}

function isCongestion(error: Error): boolean {
  return CONGESTION.has(describe(error));
}

/** The manager's queue is full: not its end. */
const CONGESTION: ReadonlySet<string> = new Set(['EAGAIN', 'ENOBUFS']);

/** The package gives the negative errno in place of its name. */
function describe(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 0 ? getSystemErrorName(code) : messageOf(error);
}
