import type { ErrorBody } from '../../src/core/control.js';
import { ERRORS, type ErrorCode, GatewardenError } from '../../src/core/errors.js';

/** An answer that is not what was asked for. */
export interface Refusal {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to whatever a handler threw. What is not ours says nothing of the inside. */
export function refusalOf(thrown: unknown): Refusal {
  if (!(thrown instanceof GatewardenError)) return INTERNAL;
  const { code, message, next } = thrown;
  return { status: statusOf(code), body: { error: { code, message, next } } };
}

export function unknownRoute(method: string, path: string): Refusal {
  return refuse(404, 'expected a route of the control API', `${method} ${shown(path)}`);
}

export function wrongMethod(method: string, allow: string): Refusal {
  return { ...refuse(405, `expected ${allow}`, method), headers: { allow } };
}

export function unknownJob(id: string): Refusal {
  return refuse(404, 'expected the id of a job of this supervisor', shown(id));
}

export function upgradeNeeded(): Refusal {
  const refusal = refuse(426, 'expected a WebSocket upgrade', 'a plain request');
  return { ...refusal, headers: { upgrade: 'websocket', connection: 'Upgrade' } };
}

export function bodyTooLarge(maxBytes: number): Refusal {
  const refusal = refuse(413, `expected a body of at most ${maxBytes} bytes`, 'more');
  return { ...refusal, headers: { connection: 'close' } };
}

export function bodyIncomplete(): Refusal {
  return refuse(400, 'expected a whole request', 'a connection that ended in the middle');
}

export function unauthorized(): Refusal {
  return {
    ...refuse(401, 'expected the token of supervisor.control.token', 'none or another'),
    headers: { 'www-authenticate': 'Bearer, Basic realm="gatewarden", charset="UTF-8"' },
  };
}

export function foreignHost(host: string): Refusal {
  return refuse(421, 'expected a request for the address that is listened on', shown(host));
}

export function foreignOrigin(origin: string): Refusal {
  return refuse(403, 'expected a request from a page of this address', shown(origin));
}

const INTERNAL: Refusal = {
  status: 500,
  body: {
    error: {
      code: 'invariant-broken',
      message: 'the supervisor failed to answer this request',
      next: 'look at its log for the reason',
    },
  },
};

const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  'unknown-profile': 404,
  'unknown-verb': 404,
};

function statusOf(code: ErrorCode): number {
  const { fault, exit } = ERRORS[code];
  const byCode = STATUS_BY_CODE[code];
  if (byCode !== undefined) return byCode;
  if (exit === 'usage') return 400;
  return fault === 'operator' ? 409 : 500;
}

function refuse(status: number, expected: string, got: string): Refusal {
  const hint = 'docs/supervisor.md lists the routes';
  const error = new GatewardenError('bad-argument', { expected, got, hint });
  const { code, message, next } = error;
  return { status, body: { error: { code, message, next } } };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
