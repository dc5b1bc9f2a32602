import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { GatewardenError, renderError } from '../../core/errors.js';
import type { Paint } from '../paint.js';
import { printable } from '../render/printable.js';
import type { ChatConnection } from './connection.js';
import { askTurn, type TurnEnd } from './turn.js';

export interface TalkOptions {
  readonly profile: string;
  readonly open: () => Promise<ChatConnection>;
  readonly input: Readable;
  readonly output: Writable;
  readonly paint: Paint;
  readonly notice: (line: string) => void;
  /** the prompt edits its line in place: off where the output is not a terminal */
  readonly terminal: boolean;
}

/** A conversation in a terminal until Ctrl-D. */
export async function talk(options: TalkOptions): Promise<void> {
  const conversation = new Conversation(options);
  const { input, output, paint, profile, terminal } = options;
  const prompt = paint.bold(`${profile}> `);
  const lines = createInterface({ input, output, prompt, terminal });
  lines.on('SIGINT', () => conversation.interrupt(lines));
  lines.prompt();
  try {
    for await (const line of lines) {
      await conversation.take(line.trim());
      lines.prompt();
    }
  } finally {
    lines.close();
    conversation.close();
  }
  output.write('\n');
}

class Conversation {
  readonly #options: TalkOptions;
  #connection: ChatConnection | undefined;
  #answering: AbortController | undefined;

  constructor(options: TalkOptions) {
    this.#options = options;
  }

  async take(line: string): Promise<void> {
    if (line === '') return;
    try {
      if (line === '/new') await this.#renew();
      else await this.#ask(line);
    } catch (thrown) {
      if (!(thrown instanceof GatewardenError)) throw thrown;
      this.#options.notice(renderError(thrown));
    }
  }

  /** Ctrl-C stops an answer; without one it only says how to leave. */
  interrupt(lines: Interface): void {
    if (this.#answering !== undefined) {
      this.#answering.abort();
      return;
    }
    this.#options.notice('\n(Ctrl-D leaves, /new begins a new conversation)');
    lines.prompt();
  }

  close(): void {
    this.#answering?.abort();
    this.#connection?.close();
  }

  async #connect(): Promise<ChatConnection> {
    if (this.#connection?.isOpen !== true) this.#connection = await this.#options.open();
    return this.#connection;
  }

  async #renew(): Promise<void> {
    const connection = await this.#connect();
    connection.send({ code: 'new' });
    for (;;) {
      const { code } = await connection.next();
      if (code === 'renewed') return this.#options.notice('(a new conversation)');
    }
  }

  async #ask(text: string): Promise<void> {
    const { output, profile, notice } = this.#options;
    const connection = await this.#connect();
    const answering = new AbortController();
    this.#answering = answering;
    let shown = '';
    try {
      const end = await askTurn(connection, text, {
        profile,
        id: randomUUID(),
        signal: answering.signal,
        onDelta: (delta) => {
          shown += delta;
          output.write(printable(delta));
        },
        onNotice: (text) => notice(printable(text)),
        onDraining: () => notice('\n(the gateway is restarting)'),
      });
      this.#conclude(end, shown);
    } catch (thrown) {
      if (!answering.signal.aborted) throw thrown;
      // closing is how the gateway learns that nobody waits for the answer any more
      connection.close();
      notice('\n(stopped)');
    } finally {
      this.#answering = undefined;
    }
  }

  /** The final text is the truth: what was streamed is completed, or shown again when it differs. */
  #conclude(end: TurnEnd, shown: string): void {
    const { output } = this.#options;
    if (end.kind !== 'answered') {
      if (shown !== '') output.write('\n');
      throw end.error;
    }
    const rest = end.text.startsWith(shown) ? end.text.slice(shown.length) : `\n${end.text}`;
    output.write(`${printable(rest)}\n`);
  }
}
