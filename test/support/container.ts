import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Test } from 'tap';
import { packageFile } from '../../src/core/package-root.js';
import { withReal } from './real-part.js';
import { type Ran, type RunOptions, runProgram } from './run-program.js';
import { until } from './until.js';

/** For a test's options. */
export function withEngine() {
  return withReal({
    programs: [
      'dockerd',
      'docker',
      'tini',
      's6-svscan',
      'execlineb',
      'busybox',
      'unshare',
      'setpriv',
    ],
    packages: ['docker.io', 'tini', 's6', 'execline', 'busybox-static', 'util-linux'],
    needsRoot: true,
  });
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const IMAGE = 'gatewarden:test';
const BASE = 'base:test';

/** A real dockerd of the test's own; it is gone after the test, also after a failed one. */
export class Engine {
  readonly directory: string;
  readonly #socket: string;

  constructor(directory: string) {
    this.directory = directory;
    this.#socket = `unix://${join(directory, 'd.sock')}`;
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const env = { PATH, HOME: this.directory, DOCKER_HOST: this.#socket, DOCKER_BUILDKIT: '0' };
    return runProgram(['docker', ...args], { ...options, env: { ...env, ...options.env } });
  }

  /** @throws when it fails */
  async docker(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0)
      throw new Error(`docker ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  /** One value of a container's state, in docker's own template language. */
  inspect(container: string, template: string): Promise<string> {
    return this.docker('inspect', '--format', `{{${template}}}`, container);
  }

  /** Everything that the container has said. */
  async logs(container: string): Promise<string> {
    const { stdout, stderr } = await this.run(['logs', container]);
    return stdout + stderr;
  }

  /** What testcontainers reads of its environment. */
  adopt(): void {
    process.env['DOCKER_HOST'] = this.#socket;
    process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
    process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1';
  }

  /** Builds our Dockerfile on a base made of this host's programs. @returns the image's name */
  async buildImage(): Promise<string> {
    await this.#importBase();
    const context = join(this.directory, 'context');
    mkdirSync(context);
    await must([process.execPath, packageFile('scripts', 'pack.mjs'), context]);
    for (const name of ['Dockerfile', 's6-overlay']) {
      cpSync(packageFile(name), join(context, name), { recursive: true });
    }
    await this.docker(
      ...['build', '--network', 'none', '--tag', IMAGE],
      ...buildArguments({ BASE_IMAGE: BASE, BUILD_IMAGE: BASE, APP: 'packed', INIT: 'base' }),
      context,
    );
    return IMAGE;
  }

  /** An image made by these lines of a Dockerfile. @returns its name */
  async buildVariant(tag: string, lines: readonly string[]): Promise<string> {
    const name = `gatewarden:${tag}`;
    const args = ['build', '--network', 'none', '--tag', name, '-'];
    const { code, stdout, stderr } = await this.run(args, { input: `${lines.join('\n')}\n` });
    if (code !== 0) throw new Error(`the variant ${tag} cannot be built: ${stdout}${stderr}`);
    return name;
  }

  async #importBase(): Promise<void> {
    const root = join(this.directory, 'base');
    const archive = join(this.directory, 'base.tar');
    await must(['bash', packageFile('test', 'support', 'base-image.sh'), root, process.execPath]);
    await must(['tar', '-C', root, '-cf', archive, '.']);
    await this.docker('import', archive, BASE);
    rmSync(root, { recursive: true });
    rmSync(archive);
  }
}

function buildArguments(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

async function must(argv: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(argv, { env: { PATH } });
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`);
}

export async function startEngine(t: Test): Promise<Engine> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-engine-'));
  const script = packageFile('test', 'support', 'container-engine.sh');
  const child = spawn(
    'setpriv',
    // it cleans up by itself, also when this process is killed
    ['--pdeathsig', 'TERM', '--', 'unshare', '--mount', '--', 'bash', script].concat([
      directory,
      basename(directory).toLowerCase(),
    ]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
    });
  }
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  });
  await until('the engine listens', () => {
    if (child.exitCode !== null) throw new Error(`it could not be started: ${said}`);
    return existsSync(join(directory, 'd.sock'));
  });
  const engine = new Engine(directory);
  await until('the engine answers', async () => (await engine.run(['version'])).code === 0);
  engine.adopt();
  return engine;
}
