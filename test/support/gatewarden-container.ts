import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { GenericContainer, type StartedTestContainer } from 'testcontainers';
import type { StatusReport } from '../../src/core/status.js';
import type { Engine } from './container.js';
import { fixture } from './fixture.js';
import type { Ran } from './run-program.js';
import { type Patience, until } from './until.js';

/** What the client has no word for. */
export class GatewardenContainer extends GenericContainer {
  withReadOnlyRoot(): this {
    this.hostConfig.ReadonlyRootfs = true;
    return this;
  }

  withInit(): this {
    this.hostConfig.Init = true;
    return this;
  }

  /** The image's own check, asked more often. */
  withQuickHealthCheck(): this {
    return this.withHealthCheck({
      test: ['CMD', '/usr/local/libexec/gatewarden/healthy'],
      interval: 1000,
      timeout: 15_000,
      retries: 1,
      // 0 would mean the image's own
      startPeriod: 1,
    });
  }
}

export interface BoxOptions {
  readonly image: string;
  /** files of the home */
  readonly files: Readonly<Record<string, string>>;
  /** fixtures that are put into the home */
  readonly programs?: readonly string[];
  readonly configure?: (container: GatewardenContainer) => GatewardenContainer;
  /** who the home on the host belongs to */
  readonly ownerUid?: number;
}

/** A started container with a home of the host's in it. */
export class Box {
  readonly id: string;
  /** on the host */
  readonly home: string;
  readonly #engine: Engine;

  constructor(engine: Engine, id: string, home: string) {
    this.#engine = engine;
    this.id = id;
    this.home = home;
  }

  exec(...argv: string[]): Promise<Ran> {
    return this.#engine.run(['exec', this.id, ...argv]);
  }

  /** With something on stdin. */
  feed(input: string, ...argv: string[]): Promise<Ran> {
    return this.#engine.run(['exec', '-i', this.id, ...argv], { input });
  }

  state(template: string): Promise<string> {
    return this.#engine.inspect(this.id, `.State.${template}`);
  }

  logs(): Promise<string> {
    return this.#engine.logs(this.id);
  }

  stop(seconds: number): Promise<string> {
    return this.#engine.docker('stop', '--time', String(seconds), this.id);
  }

  restart(seconds: number): Promise<string> {
    return this.#engine.docker('restart', '--time', String(seconds), this.id);
  }

  async status(): Promise<StatusReport | undefined> {
    const { stdout } = await this.exec('gatewarden', 'status', '--json');
    return stdout.startsWith('{') ? (JSON.parse(stdout) as StatusReport) : undefined;
  }

  /** Waits for a status; tells what the container said when it never comes. */
  async untilStatus(
    what: string,
    condition: (report: StatusReport) => boolean,
    patience: Patience = {},
  ): Promise<StatusReport> {
    let last: StatusReport | undefined;
    const holds = async () => {
      last = await this.status();
      return last !== undefined && condition(last);
    };
    // a look starts a Node in the container
    await until(what, holds, { everyMs: 200, ...patience }).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; the container says:\n${await this.logs()}`);
    });
    if (last === undefined) throw new Error('no status');
    return last;
  }

  untilReady(...names: string[]): Promise<StatusReport> {
    return this.untilStatus(`${names.join(', ')} ready`, ({ profiles }) =>
      names.every((name) => profiles.some((one) => one.name === name && one.state === 'ready')),
    );
  }
}

/** Starts the image on a home with these files; container and home are gone after the test. */
export async function startBox(t: Test, engine: Engine, options: BoxOptions): Promise<Box> {
  const { configure = (container) => container, files, image, ownerUid, programs = [] } = options;
  const home = mkdtempSync(join(engine.directory, 'home-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  chmodSync(home, 0o755);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  for (const name of programs) copyFileSync(fixture(name), join(home, name));
  if (ownerUid !== undefined) chownAll(home, ownerUid);
  const container = new GatewardenContainer(image)
    .withNetworkMode('none')
    .withBindMounts([{ source: home, target: '/data', mode: 'rw' }]);
  const started: StartedTestContainer = await configure(container).start();
  t.teardown(() => engine.run(['rm', '--force', '--volumes', started.getId()]));
  return new Box(engine, started.getId(), home);
}

function chownAll(directory: string, uid: number): void {
  const inner = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const name of ['', ...inner]) chownSync(join(directory, name), uid, uid);
}
