import type { Socket } from 'node:net';
import type { FromChat, ParsedLine } from '../../../core/local-protocol.js';
import type { InboundMessage } from '../../turns/inbound.js';
import type { PlatformHost } from '../port.js';
import { brokenLine } from './errors.js';
import { LineReader } from './inbound.js';
import { sendLine } from './outbound.js';
import { renderOutcome } from './render.js';

export interface LocalParts {
  readonly platform: string;
  readonly host: PlatformHost;
}

type ChatMessage = Extract<FromChat, { code: 'message' }>;

/** One client of the local socket; its leaving cuts its turns off. */
export function serveConnection(socket: Socket, parts: LocalParts): void {
  const { host } = parts;
  const reader = new LineReader();
  const caller = new AbortController();
  let pending = 0;
  let hasEnded = false;
  const finish = () => {
    if (hasEnded && pending === 0) socket.end();
  };
  const take = (lines: readonly ParsedLine<FromChat>[]) => {
    for (const line of lines) {
      pending++;
      answer(line, { socket, parts, signal: caller.signal })
        .catch(host.onBroken)
        .finally(() => {
          pending--;
          finish();
        });
    }
  };
  socket.on('data', (piece: Buffer) => take(reader.take(piece)));
  socket.on('end', () => {
    hasEnded = true;
    take(reader.end());
    finish();
  });
  socket.on('close', () => caller.abort());
  // a reset is followed by close, which says all there is to say
  socket.on('error', () => {});
  sendLine(socket, { code: 'welcome', profile: host.profile, version: host.version });
}

interface Client {
  readonly socket: Socket;
  readonly parts: LocalParts;
  readonly signal: AbortSignal;
}

async function answer(line: ParsedLine<FromChat>, client: Client): Promise<void> {
  const { socket, parts } = client;
  if (line.kind === 'broken') return sendLine(socket, brokenLine(line.expected, line.got));
  const { message } = line;
  switch (message.code) {
    case 'message': {
      const outcome = await parts.host.turns.submit(toInbound(message, client));
      return sendLine(socket, renderOutcome(outcome));
    }
    case 'new':
      parts.host.turns.renew(parts.platform, message.session);
      return sendLine(socket, { code: 'renewed' });
    default:
      return message satisfies never;
  }
}

function toInbound({ session, text, id }: ChatMessage, client: Client): InboundMessage {
  return {
    platform: client.parts.platform,
    conversation: { kind: 'stored', chatId: session },
    text,
    messageId: id,
    maxTokens: undefined,
    workKind: 'turn',
    onDelta: (delta, { turnId }) =>
      sendLine(client.socket, { code: 'delta', turn: turnId, text: delta }),
    signal: client.signal,
  };
}
