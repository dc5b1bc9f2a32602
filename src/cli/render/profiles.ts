import type { LoadedProfile, ProfileConfig } from '../../config/model.js';
import { profileLayout } from '../../config/paths.js';
import type { Paint } from '../paint.js';
import { renderTable } from './table.js';
import { plural } from './units.js';

/** A row per profile; a bad one says how many problems it has. */
export function renderProfileList(profiles: readonly LoadedProfile[], paint: Paint): string {
  if (profiles.length === 0) return 'no profiles; add one with: gatewarden profile add NAME';
  const rows = profiles.map((profile) =>
    profile.kind === 'bad'
      ? [
          { text: profile.name, paint: paint.bold },
          { text: 'bad', paint: paint.red },
          { text: `${plural(profile.problems.length, 'problem')}: gatewarden config check` },
        ]
      : [
          { text: profile.name, paint: paint.bold },
          { text: profile.config.enabled ? 'enabled' : 'disabled' },
          { text: describeRole(profile.config) },
        ],
  );
  const columns = [{ title: 'PROFILE' }, { title: 'CONFIG' }, { title: 'WHAT' }];
  return renderTable(columns, rows, paint.dim).join('\n');
}

function describeRole({ agent, command, platforms }: ProfileConfig): string {
  if (command !== undefined) return `command: ${command.argv.join(' ')}`;
  const api = platforms.apiServer;
  return api === undefined
    ? `${agent.driver} agent`
    : `${agent.driver} agent, API http://${api.host}:${api.port}`;
}

/** Every effective setting on a line of its own; secrets print themselves as [secret]. */
export function renderProfile(config: ProfileConfig, home: string): string {
  const { configFile, directory, envFile, logDir, stateDir } = profileLayout(home, config.name);
  const { secrets, ...settings } = config;
  const plain: unknown = JSON.parse(JSON.stringify(settings));
  const rows = [
    ['files.directory', directory],
    ['files.config', configFile],
    ['files.secrets', envFile],
    ['files.state', stateDir],
    ['files.logs', logDir],
    ...flatten(plain, ''),
    ['secrets', plural(secrets.length, 'secret')],
  ];
  const width = Math.max(...rows.map(([key = '']) => key.length));
  return rows.map(([key = '', value = '']) => `${key.padEnd(width)}  ${value}`).join('\n');
}

function flatten(value: unknown, key: string): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[key, String(value)]];
  if (Array.isArray(value)) return [[key, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, child]) =>
    flatten(child, key === '' ? name : `${key}.${name}`),
  );
}
