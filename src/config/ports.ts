import { createServer } from 'node:net';
import { DEFAULTS } from './defaults.js';
import type { LoadedConfig, LoadedProfile } from './model.js';
import { profileLayout } from './paths.js';
import { readSource } from './read-source.js';

const { host: HOST, port: FIRST_PORT } = DEFAULTS.platforms.api_server;
const LAST_PORT = 65_535;

/** Which setting has each port, also of profiles whose file is bad: it may be cured tomorrow. */
export function claimedPorts({ home, host, profiles }: LoadedConfig): Map<number, string> {
  const claims = new Map<number, string>();
  const { listen } = host.control;
  if (listen !== undefined) claims.set(listen.port, 'supervisor.control.listen');
  for (const profile of profiles.values()) {
    for (const port of portsOf(profile, home)) claims.set(port, `profile ${profile.name}`);
  }
  return claims;
}

/** The first port from the usual one on that nobody claims and nobody listens on right now. */
export async function firstFreePort(claims: ReadonlyMap<number, string>): Promise<number> {
  for (let port = FIRST_PORT; port < LAST_PORT; port++) {
    if (!claims.has(port) && (await isPortFree(port))) return port;
  }
  // any free one, each time it starts
  return 0;
}

/** Whether it can be listened on here and now: nobody else on this machine has it. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: HOST, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function portsOf(profile: LoadedProfile, home: string): readonly number[] {
  if (profile.kind === 'good') {
    const port = profile.config.platforms.apiServer?.port;
    return port === undefined ? [] : [port];
  }
  const source = readSource(profileLayout(home, profile.name).configFile);
  // its YAML may be broken: what looks like a port counts
  const found =
    source.kind === 'text' ? source.text.matchAll(/\bport["']?:\s*["']?(\d{1,5})/g) : [];
  const ports = [...found].map(([, digits]) => Number(digits));
  return ports.length === 0 ? [FIRST_PORT] : ports;
}
