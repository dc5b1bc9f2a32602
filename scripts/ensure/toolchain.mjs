// What node-gyp needs to compile the native parts: tools and Node's headers.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Program that must be found, and the Debian package that brings it. */
const TOOLS = { python3: 'python3', make: 'make', 'g++': 'g++' };

export function ensureToolchain({ say, refuse }) {
  const missing = Object.keys(TOOLS).filter((program) => !isOnPath(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => TOOLS[program]).join(' ');
  const install = `apt-get install -y --no-install-recommends ${packages}`;
  if (!existsSync('/etc/debian_version')) {
    refuse(`expected ${missing.join(', ')} to compile native parts, found none`, 'install them');
  }
  if (process.getuid?.() !== 0) {
    refuse(
      `expected ${missing.join(', ')} to compile native parts, found none`,
      `run: sudo apt-get update && sudo ${install}`,
    );
  }
  say(`installing ${packages} with apt-get (needed to compile native parts)`);
  for (const command of ['apt-get update', install]) runApt(command, refuse);
}

function runApt(command, refuse) {
  const [program, ...args] = command.split(' ');
  const { status } = spawnSync(program, ['-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 2],
  });
  if (status !== 0) refuse(`${command} failed`, 'read the lines above and run it by hand');
}

/** Headers that lie beside this Node save node-gyp a download. */
export function nativeBuildEnv() {
  const prefix = dirname(dirname(process.execPath));
  if (!existsSync(join(prefix, 'include', 'node', 'node.h'))) return {};
  return { npm_config_nodedir: prefix };
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)));
}
