import { connect, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { GatewardenError } from '../../core/errors.js';
import {
  type FromChat,
  LOCAL_LINE_MAX_BYTES,
  parseToChat,
  renderLine,
  type ToChat,
} from '../../core/local-protocol.js';

/** One connection to a gateway's local platform; what it says comes in order from `next()`. */
export class ChatConnection {
  readonly #socket: Socket;
  readonly #decoder = new StringDecoder('utf8');
  readonly #received: ToChat[] = [];
  #rest = '';
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(this.#decoder.write(chunk)));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(closedError()));
  }

  /** @throws the system's error of the connection */
  static open(path: string): Promise<ChatConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ path });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new ChatConnection(socket));
      });
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** @throws GatewardenError bad-argument when the message is longer than the protocol allows */
  send(message: FromChat): void {
    const line = renderLine(message);
    const length = Buffer.byteLength(line) - 1;
    if (length > LOCAL_LINE_MAX_BYTES) {
      throw new GatewardenError('bad-argument', {
        expected: `expected a message of at most ${LOCAL_LINE_MAX_BYTES} bytes`,
        got: `${length} bytes`,
        hint: 'send less at once',
      });
    }
    this.#socket.write(line);
  }

  /** The next message. @throws when the connection has ended or the signal is raised */
  async next(signal?: AbortSignal): Promise<ToChat> {
    const wake = () => this.#wake?.();
    signal?.addEventListener('abort', wake);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const message = this.#received.shift();
        if (message !== undefined) return message;
        if (this.#failure !== undefined) throw this.#failure;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener('abort', wake);
    }
  }

  /** Leaving during an answer abandons that turn: the gateway ends what it started. */
  close(): void {
    this.#end(closedError());
    this.#socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = parseToChat(line);
      if (parsed.kind === 'message') this.#received.push(parsed.message);
      else {
        this.#end(
          new GatewardenError('protocol-broken', { sender: 'the gateway', got: parsed.got }),
        );
        this.#socket.destroy();
      }
    }
    this.#wake?.();
  }

  #end(reason: Error): void {
    this.#failure ??= reason;
    this.#wake?.();
  }
}

function closedError(): Error {
  return new Error('the gateway closed the connection');
}
