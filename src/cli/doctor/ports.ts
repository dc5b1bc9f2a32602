import type { LoadedConfig } from '../../config/model.js';
import type { Reach } from '../control/reach.js';
import { isSeenAs, ownersElsewhere } from './elsewhere.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';
import { commandOf, holdersOf, readListening } from './listening-ports.js';

/** A port that a profile wants and a stranger holds: the profile could never become ready. */
export function checkPorts({ config, home, reach }: DoctorFacts): CheckResult {
  if (config === undefined) return fine('ports', 'not checked: there is no configuration to read');
  const wanted = wantedPorts(config);
  const listening = readListening();
  if (listening === undefined) return fine('ports', 'not checked: there is no /proc/net here');
  const used = listening.filter((one) => wanted.some(({ port }) => port === one.port));
  const holders = holdersOf(new Set(used.map((one) => one.inode)));
  const seen = wanted.map(({ port }) => port).join(', ') || 'none wanted';
  const facts = used.map(({ inode, port }) => ({ port, pids: holders.get(inode) ?? [] }));
  const ours = ourPids(reach, { home, holders: [...holders.values()].flat() });
  return found('ports', seen, judgePorts({ wanted, used: facts, ours, commandOf }));
}

export interface WantedPort {
  readonly port: number;
  readonly by: string;
  readonly key: string;
}

export interface PortFacts {
  readonly wanted: readonly WantedPort[];
  readonly used: readonly { readonly port: number; readonly pids: readonly number[] }[];
  /** processes that may hold them; undefined: nothing of ours runs */
  readonly ours: ReadonlySet<number> | undefined;
  readonly commandOf: (pid: number) => string;
}

export function judgePorts({ wanted, used, ours, commandOf }: PortFacts): Finding[] {
  return wanted.flatMap(({ by, key, port }) => {
    const socket = used.find((one) => one.port === port);
    if (socket === undefined || socket.pids.some((pid) => ours?.has(pid) === true)) return [];
    // while our supervisor runs, a socket that we may not look into is most likely its own
    if (socket.pids.length === 0 && ours !== undefined) return [];
    const [pid] = socket.pids;
    const holder = pid === undefined ? 'another process' : `pid ${pid} (${commandOf(pid)})`;
    return [
      {
        what: `port ${port}, which ${by} wants, is held by ${holder}`,
        remedy: `end ${pid === undefined ? 'that process' : `pid ${pid}`}, or change ${key}`,
      },
    ];
  });
}

function wantedPorts({ host, profiles }: LoadedConfig): readonly WantedPort[] {
  const control = host.control.listen;
  const ofProfiles = [...profiles.values()].flatMap((profile) => {
    if (profile.kind === 'bad' || !profile.config.enabled) return [];
    const port = profile.config.platforms.apiServer?.port;
    if (port === undefined || profile.config.command !== undefined) return [];
    return [{ port, by: `profile ${profile.name}`, key: 'platforms.api_server.port' }];
  });
  return control === undefined
    ? ofProfiles
    : [
        { port: control.port, by: 'the control API', key: 'supervisor.control.listen' },
        ...ofProfiles,
      ];
}

interface SeenHolders {
  readonly home: string;
  readonly holders: readonly number[];
}

function ourPids(reach: Reach, { home, holders }: SeenHolders): ReadonlySet<number> | undefined {
  const owners = ownersElsewhere(home);
  // its own number for itself, or that of a gateway, is a stranger's here
  if (owners.length > 0) {
    return new Set(holders.filter((pid) => owners.some((owner) => isSeenAs(pid, owner))));
  }
  if (reach.kind !== 'answers') return undefined;
  const { profiles, supervisor } = reach.report;
  return new Set([
    supervisor.pid,
    ...profiles.flatMap((profile) => (profile.pid === null ? [] : [profile.pid])),
  ]);
}
