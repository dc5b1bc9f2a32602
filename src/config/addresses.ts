import { isIP, isIPv4 } from 'node:net';

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `127.0.0.1:8640` and `[::1]:8640`; undefined for anything else. */
export function parseAddress(text: string): TcpAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) return undefined;
  if (match?.[1] !== undefined && isIP(host) !== 6) return undefined;
  return { host, port };
}

/** `[::1]:8640`: as it is written in a URL. */
export function renderAddress({ host, port }: TcpAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Reachable from this machine only, whatever the network looks like. */
export function isLoopback(host: string): boolean {
  const canonical = canonicalHost(host);
  return canonical === 'localhost' || canonical === '::1' || isLoopbackIPv4(canonical);
}

/** Whether two listeners on these addresses would take each other's connections or fail to bind. */
export function addressesCollide(left: TcpAddress, right: TcpAddress): boolean {
  // port 0 is a different free port each time
  if (left.port !== right.port || left.port === 0) return false;
  const [one, other] = [canonicalHost(left.host), canonicalHost(right.host)];
  return one === other || covers(one, other) || covers(other, one);
}

function covers(wide: string, narrow: string): boolean {
  // Node binds :: with both protocols
  if (wide === '::') return true;
  if (wide === '0.0.0.0') return isIP(narrow) !== 6;
  // the resolver may choose either
  if (wide === 'localhost') return narrow === '::1' || isLoopbackIPv4(narrow);
  return false;
}

function isLoopbackIPv4(host: string): boolean {
  return isIPv4(host) && host.startsWith('127.');
}

/** One spelling per address: `0:0::1` is `::1`, `::ffff:127.0.0.1` is 127.0.0.1. */
function canonicalHost(host: string): string {
  const lower = host.toLowerCase();
  if (isIP(lower) !== 6) return lower;
  const short = new URL(`http://[${lower}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const [upper, under] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, under >> 8, under & 255].join('.');
}
