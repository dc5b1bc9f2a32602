import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import type { ServedApiSettings } from '../../../core/assignment.js';
import { renderLiveness, renderReadiness } from '../../http/health-bodies.js';
import { readBody } from '../../http/read-body.js';
import { refuseDraining } from '../../turns/refusals.js';
import type { PlatformHost } from '../port.js';
import { type ApiError, badRequest, brokenInside, noRoute, toApiError, tooBusy } from './errors.js';
import { parseCompletionRequest, parseSessionKey } from './inbound.js';
import { BUSY_RETRY_AFTER_MS, LIMITS } from './limits.js';
import { mountGuests } from './mount-guests.js';
import type { OpenStreams } from './open-streams.js';
import { answerCompletion, type Env, errorResponse } from './outbound.js';
import { refuseAccess, refuseForeignHost } from './refuse-access.js';
import { renderModel, renderModels } from './render.js';

export interface ApiServerParts {
  readonly platform: string;
  readonly settings: ServedApiSettings;
  readonly host: PlatformHost;
  readonly streams: OpenStreams;
  /** of a guest: below the server's own API */
  readonly path?: string;
  /** it has no key and others reach it: nobody may ask */
  readonly isClosed?: boolean;
  /** told what only the log should know */
  readonly onBroken: (thrown: unknown) => void;
}

type Handler = (context: Context<Env>) => Response | Promise<Response>;
const SESSION_KEY_HEADER = 'X-Gatewarden-Session-Key';

/** The routes; everything but liveness asks for the key. */
export function createApp(parts: ApiServerParts): Hono<Env> {
  const { settings, host } = parts;
  const app = new Hono<Env>().basePath(parts.path ?? '/');
  if (parts.path === undefined && host.mounts !== undefined) mountGuests(app, host.mounts);
  const createdSeconds = toSeconds(Date.now());
  const runs = { active: 0 };
  const guarded =
    (handler: Handler): Handler =>
    (context) => {
      const refusal = refuseAccess(context, parts);
      return refusal === undefined ? handler(context) : errorResponse(refusal);
    };
  const route = (method: 'GET' | 'POST', path: string, handler: Handler) => {
    app.on(method, path, handler);
    app.all(path, () => errorResponse(wrongMethod(method), { Allow: method }));
  };
  route('GET', '/health', (context) => live(context, parts));
  route('GET', '/v1/health', (context) => live(context, parts));
  route(
    'GET',
    '/health/detailed',
    guarded((context) => ready(context, host)),
  );
  const models = renderModels(settings.model, createdSeconds);
  route(
    'GET',
    '/v1/models',
    guarded((context) => context.json(models)),
  );
  // the rest of the path: a model's name may hold slashes
  route(
    'GET',
    '/v1/models/:id{.+}',
    guarded((context) => model(context, settings, createdSeconds)),
  );
  route(
    'POST',
    '/v1/chat/completions',
    guarded((context) => complete(context, parts, runs)),
  );
  app.notFound((context) => errorResponse(noRoute(context.req.path)));
  app.onError((thrown) => {
    parts.onBroken(thrown);
    return errorResponse(brokenInside());
  });
  return app;
}

/** Liveness needs no key, but a foreign Host is refused all the same. */
function live(context: Context<Env>, parts: ApiServerParts): Response {
  const refusal = refuseForeignHost(context, parts);
  const { host } = parts;
  return refusal === undefined
    ? context.json(renderLiveness(host.health()))
    : errorResponse(refusal);
}

function ready(context: Context<Env>, host: PlatformHost): Response {
  const health = host.health();
  return context.json(renderReadiness(health), health.phase === 'ready' ? 200 : 503);
}

function model(context: Context<Env>, settings: ServedApiSettings, createdSeconds: number) {
  const id = context.req.param('id') ?? '';
  if (id === settings.model) return context.json(renderModel(id, createdSeconds));
  const message = `no model is named ${id}; there is ${settings.model}`;
  return errorResponse(
    badRequest(message, { status: 404, code: 'model_not_found', param: 'model' }),
  );
}

async function complete(
  context: Context<Env>,
  { host, settings, platform, streams }: ApiServerParts,
  runs: { active: number },
): Promise<Response> {
  const { refusing } = host.turns;
  if (refusing !== undefined) {
    return errorResponse(toApiError(refuseDraining(host.profile, refusing)));
  }
  if (runs.active >= settings.maxConcurrent) {
    return errorResponse(tooBusy(settings.maxConcurrent, BUSY_RETRY_AFTER_MS));
  }
  const outgoing = context.env.outgoing as ServerResponse;
  runs.active++;
  // until the last byte: a slow reader of a stream still occupies its run
  outgoing.once('close', () => runs.active--);
  const body = await readJsonText(context.env.incoming as IncomingMessage);
  if (typeof body !== 'string') return errorResponse(body);
  const request = parseCompletionRequest(body);
  if (request.kind === 'bad') return errorResponse(request.error);
  const header = context.req.header(SESSION_KEY_HEADER);
  const sessionKey = header === undefined ? undefined : parseSessionKey(header);
  if (sessionKey?.kind === 'bad') return errorResponse(sessionKey.error);
  return answerCompletion({
    request: request.value,
    sessionKey: sessionKey?.value,
    platform,
    turns: host.turns,
    streams,
    keepaliveMs: host.timings.sseKeepaliveMs,
    outgoing,
    head: {
      id: `chatcmpl-${randomUUID()}`,
      createdSeconds: toSeconds(Date.now()),
      model: settings.model,
    },
  });
}

async function readJsonText(incoming: IncomingMessage): Promise<string | ApiError> {
  const type = incoming.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const message = `expected Content-Type application/json, got ${type === '' ? 'none' : type}`;
    return badRequest(message, { status: 415, code: 'unsupported_media_type' });
  }
  const body = await readBody(incoming, LIMITS.maxBodyBytes);
  switch (body.kind) {
    case 'text':
      return body.text;
    case 'too-large':
      return badRequest(`expected a body of at most ${LIMITS.maxBodyBytes} bytes`, {
        status: 413,
        code: 'request_too_large',
      });
    case 'not-utf8':
      return badRequest('expected a body in UTF-8', { code: 'invalid_json' });
    case 'cut-off':
      return badRequest('the body ended before its announced length', { code: 'invalid_json' });
    default:
      return body satisfies never;
  }
}

function wrongMethod(allowed: string): ApiError {
  return badRequest(`expected ${allowed}`, { status: 405, code: 'method_not_allowed' });
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
