import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  type FromChat,
  parseToChat,
  renderLine,
  type ToChat,
} from '../../src/core/local-protocol.js';
import { until } from './gateway-within.js';

/** A client of the local socket that remembers every line. */
export class ChatClient {
  readonly socket: Socket;
  readonly lines: ToChat[] = [];
  hasClosed = false;

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.hasClosed = true;
    });
    createInterface({ input: this.socket }).on('line', (line) => {
      const parsed = parseToChat(line);
      if (parsed.kind === 'broken') throw new Error(`${parsed.expected}: ${parsed.got}`);
      this.lines.push(parsed.message);
    });
  }

  send(message: FromChat): void {
    this.socket.write(renderLine(message));
  }

  /** The nth line (from 1) with the code. */
  line<Code extends ToChat['code']>(code: Code, nth = 1): Promise<Extract<ToChat, { code: Code }>> {
    return until(
      () => {
        const found = this.lines.filter((line) => line.code === code)[nth - 1];
        return found as Extract<ToChat, { code: Code }> | undefined;
      },
      `${code} number ${nth}; got ${JSON.stringify(this.lines)}`,
    );
  }

  closed(): Promise<true> {
    return until(() => this.hasClosed, 'the end of the connection');
  }
}
