import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from './loopback.js';

export type Access =
  | { readonly kind: 'granted' }
  | { readonly kind: 'key-missing' }
  | { readonly kind: 'key-wrong' }
  /** a page in a browser was led here by DNS: it names a host that is not this machine */
  | { readonly kind: 'host-foreign'; readonly host: string };

export interface AccessFacts {
  /** undefined: no key is configured, so only this machine may ask */
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly host: string | undefined;
}

export function judgeAccess({ key, authorization, host }: AccessFacts): Access {
  if (key === undefined) {
    const name = hostName(host ?? '');
    return isLoopbackHost(name) ? { kind: 'granted' } : { kind: 'host-foreign', host: name };
  }
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (given === undefined) return { kind: 'key-missing' };
  return isSameKey(given, key) ? { kind: 'granted' } : { kind: 'key-wrong' };
}

/** Digests of equal length: the time to compare tells neither length nor content. */
function isSameKey(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** `[::1]:8642` → `::1`, `localhost:8642` → `localhost` */
function hostName(header: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(header)?.[1];
  return (bracketed ?? header.replace(/:\d+$/, '')).toLowerCase();
}
