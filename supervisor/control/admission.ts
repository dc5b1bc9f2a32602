import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Secret } from '../../src/core/secret.js';
import { foreignHost, foreignOrigin, type Refusal, unauthorized } from './refusals.js';

/** Who may ask over TCP. On the unix socket the file's mode decides, so nothing is asked there. */
export interface AdmissionRule {
  readonly token: Secret;
  /** the host that the configuration says to listen on */
  readonly host: string;
}

/** Undefined when the request may pass. */
export function judgeAdmission(
  rule: AdmissionRule,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  const host = headers.host ?? '';
  if (!isOurHost(host, rule.host)) return foreignHost(host);
  // a browser sends remembered credentials along with requests of other pages
  const { origin } = headers;
  if (origin !== undefined && !isSameOrigin(origin, host)) return foreignOrigin(origin);
  const given = tokenIn(headers.authorization);
  return given !== undefined && isEqual(given, rule.token.reveal()) ? undefined : unauthorized();
}

/** A name that a stranger's DNS answers for must not reach us (DNS rebinding); an address is no name. */
function isOurHost(header: string, listenHost: string): boolean {
  const name = hostNameOf(`http://${header}`);
  if (name === undefined) return false;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) !== 0 || name === 'localhost' || name === listenHost.toLowerCase();
}

function isSameOrigin(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === new URL(`http://${host}`).host;
  } catch {
    return false;
  }
}

function hostNameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}

/** `Bearer TOKEN`, or the password of `Basic`, which is what a browser can ask a person for. */
function tokenIn(authorization: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ', 2);
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const text = Buffer.from(value, 'base64').toString('utf8');
      const colon = text.indexOf(':');
      return colon < 0 ? undefined : text.slice(colon + 1);
    }
    default:
      return undefined;
  }
}

/** Hashed first: the comparison wants equal lengths, and a length is a hint too. */
function isEqual(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
