import { BlockList, isIP } from 'node:net';

/** True for addresses that only this machine reaches; other names are not trusted to stay here. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  if (family === 0) return false;
  loopback ??= createLoopback();
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The address at which this machine reaches a listener bound to `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

let loopback: BlockList | undefined;

function createLoopback(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  return list;
}
