import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Test {
  teardown(action: () => unknown): unknown;
}

export interface ModelCall {
  readonly body: {
    readonly model: string;
    readonly messages: readonly { role: string; content: string }[];
    readonly [name: string]: unknown;
  };
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/** How the model answers one call; the last one of the script answers all later calls. */
export type ModelStep = (response: ServerResponse, call: ModelCall) => void | Promise<void>;

export interface ModelServer {
  readonly baseUrl: string;
  readonly calls: readonly ModelCall[];
}

/** A loopback server that speaks real server-sent events as a model does. */
export async function startModelServer(t: Test, ...script: ModelStep[]): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ModelCall['body'];
    const call = { body, headers: request.headers, at: Date.now() };
    const step = script[Math.min(calls.length, script.length - 1)];
    calls.push(call);
    await step?.(response, call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, calls };
}

/** Streams the pieces, then finishes as asked. */
export function says(pieces: readonly string[], finishReason = 'stop'): ModelStep {
  return (response) => {
    openStream(response);
    for (const piece of pieces) sendDelta(response, piece);
    sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] });
    sendEvent(response, {
      choices: [],
      usage: {
        prompt_tokens: 7,
        completion_tokens: pieces.length,
        total_tokens: 7 + pieces.length,
      },
    });
    response.end('data: [DONE]\n\n');
  };
}

export function fails(
  status: number,
  error: object = { message: 'no' },
  headers: Record<string, string> = {},
): ModelStep {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  };
}

/** Says something, then never anything again. */
export function hangsAfter(...pieces: readonly string[]): ModelStep {
  return (response) => {
    openStream(response);
    for (const piece of pieces) sendDelta(response, piece);
  };
}

/** Says something, then the connection breaks. */
export function breaksAfter(...pieces: readonly string[]): ModelStep {
  return (response) => {
    openStream(response);
    for (const piece of pieces) sendDelta(response, piece);
    setImmediate(() => response.destroy());
  };
}

/** Says something, then ends as if that were all, without saying so. */
export function endsAfter(...pieces: readonly string[]): ModelStep {
  return (response) => {
    openStream(response);
    for (const piece of pieces) sendDelta(response, piece);
    response.end();
  };
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
}

export function sendDelta(response: ServerResponse, content: string): void {
  sendEvent(response, { choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

export function sendEvent(response: ServerResponse, event: object): void {
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'fake' };
  response.write(`data: ${JSON.stringify({ ...head, ...event })}\n\n`);
}
