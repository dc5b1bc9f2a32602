import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { VerbRequest } from '../../src/core/control.js';
import { METRICS_CONTENT_TYPE, renderMetrics } from '../../src/observability/index.js';
import { parseHistoryQuery, parseVerbRequest } from './parse-request.js';
import type { ControlPort } from './port.js';
import { readBody } from './read-body.js';
import {
  bodyIncomplete,
  bodyTooLarge,
  type Refusal,
  unknownJob,
  upgradeNeeded,
} from './refusals.js';
import type { Route } from './routes.js';
import { pageSecurityPolicy, renderStatusPage } from './status-page.js';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A verb's body is two short fields. */
const MAX_BODY_BYTES = 16 * 1024;

/** What one route answers. Throws what the port throws. */
export async function answerRoute(
  route: Route,
  request: IncomingMessage,
  port: ControlPort,
): Promise<Answer> {
  switch (route.kind) {
    case 'status':
      return json(200, await port.status());
    case 'verb': {
      const wish = await readWish(request);
      if ('status' in wish) return refused(wish);
      return json(202, port.verb(route.profile, route.verb, wish));
    }
    case 'reload':
      return await answerReload(request, port);
    case 'job': {
      const job = port.job(route.id);
      return job === undefined ? refused(unknownJob(route.id)) : json(200, job);
    }
    case 'events':
      return refused(upgradeNeeded());
    case 'history':
      return json(200, port.history(parseHistoryQuery(searchOf(request))));
    case 'metrics':
      return text(
        METRICS_CONTENT_TYPE,
        await renderMetrics(await port.status(), port.eventCounts()),
      );
    case 'page':
      return await answerPage(port);
    default:
      return route satisfies never;
  }
}

export function refused({ status, body, headers }: Refusal): Answer {
  return { ...json(status, body), ...(headers === undefined ? {} : { headers }) };
}

export function searchOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

async function readWish(request: IncomingMessage): Promise<VerbRequest | Refusal> {
  const body = await readBody(request, MAX_BODY_BYTES);
  switch (body.kind) {
    case 'too-large':
      return bodyTooLarge(MAX_BODY_BYTES);
    case 'incomplete':
      return bodyIncomplete();
    case 'text':
      return parseVerbRequest(body.text, byHeaderOf(request));
    default:
      return body satisfies never;
  }
}

async function answerReload(request: IncomingMessage, port: ControlPort): Promise<Answer> {
  const wish = await readWish(request);
  if ('status' in wish) return refused(wish);
  const report = await port.reload(wish.by);
  if (report.problems === undefined) return json(200, report);
  const next = 'correct them and reload again; the last good configuration stays in force';
  const error = { code: 'config-invalid', message: report.problems, next };
  return json(409, { error });
}

async function answerPage(port: ControlPort): Promise<Answer> {
  const nonce = randomBytes(16).toString('base64');
  const page = renderStatusPage(await port.status(), { now: Date.now(), nonce });
  return {
    ...text('text/html; charset=utf-8', page),
    headers: { 'content-security-policy': pageSecurityPolicy(nonce) },
  };
}

function byHeaderOf(request: IncomingMessage): string | undefined {
  const by = request.headers['x-gatewarden-by'];
  return typeof by === 'string' ? by : undefined;
}

function json(status: number, value: unknown): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

function text(contentType: string, body: string): Answer {
  return { status: 200, contentType, body };
}
