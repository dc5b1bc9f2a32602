import { join } from 'node:path';
import { type GeneratedFile, SCRIPT_MODE, SECRET_MODE } from './generated-file.js';
import { type LauncherFacts, renderLauncher } from './launcher/render.js';

/** The program that units name; beside the home's own files, so that it moves with them. */
export function launcherPath(home: string): string {
  return join(home, 'bin', 'gatewarden');
}

/** What must not stand in a unit, which everybody on the host can read. */
export function envFilePath(home: string): string {
  return join(home, 'service.env');
}

/** Where s6-log keeps what a slot prints; no profile's name starts with an underscore. */
export function slotLogDirectory(home: string, slot: string): string {
  return join(home, 'logs', '_s6', slot);
}

const ENV_FILE_TEXT = `# Environment of the service, for what must not stand in its unit: NAME=value lines, read by
# systemd when it starts the service. Written once by gatewarden; it is yours from then on.
`;

/** Files in the home that every unit of it needs. */
export function homeFiles(home: string, facts: LauncherFacts): readonly GeneratedFile[] {
  return [
    { path: launcherPath(home), text: renderLauncher(facts), mode: SCRIPT_MODE },
    { path: envFilePath(home), text: ENV_FILE_TEXT, mode: SECRET_MODE, keep: true },
  ];
}
