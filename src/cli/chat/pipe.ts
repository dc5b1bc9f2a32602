import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GatewardenError } from '../../core/errors.js';
import { LOCAL_LINE_MAX_BYTES } from '../../core/local-protocol.js';
import { pause } from '../interrupt.js';
import type { ChatConnection } from './connection.js';
import { askTurn } from './turn.js';

export interface PipeOptions {
  readonly profile: string;
  readonly open: () => Promise<ChatConnection>;
  readonly patienceMs: number;
  readonly notice: (line: string) => void;
}

/** One message in, the answer's whole text out. @throws GatewardenError when there is no answer */
export async function askOnce(text: string, options: PipeOptions): Promise<string> {
  const id = randomUUID();
  const deadlineMs = Date.now() + options.patienceMs;
  for (;;) {
    const connection = await options.open();
    try {
      const end = await askTurn(connection, text, {
        profile: options.profile,
        id,
        onDelta: () => undefined,
      });
      if (end.kind === 'answered') return end.text;
      if (end.kind === 'failed' || Date.now() >= deadlineMs) throw end.error;
      options.notice(`${end.error.message}; sending it again`);
      await pause(end.afterMs);
    } finally {
      connection.close();
    }
  }
}

/** The message on stdin without its last newline. @throws GatewardenError bad-argument */
export async function readMessage(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > LOCAL_LINE_MAX_BYTES) {
      throw badMessage(`at most ${LOCAL_LINE_MAX_BYTES} bytes`, 'more');
    }
    chunks.push(bytes);
  }
  const text = decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (text.trim() === '') throw badMessage('a message', 'nothing');
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badMessage('UTF-8 text', 'other bytes');
  }
}

function badMessage(expected: string, got: string): GatewardenError {
  return new GatewardenError('bad-argument', {
    expected: `expected ${expected} on stdin`,
    got,
    hint: 'for example: echo hello | gatewarden chat',
  });
}
