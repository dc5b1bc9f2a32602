import { childEnvironment, loadConfig } from '../../src/config/index.js';
import type { LoadedConfig } from '../../src/config/model.js';
import { homeHash } from '../../src/config/paths.js';
import { type Containment, chooseContainment } from '../../src/containment/index.js';
import { instancePrefix, instanceTag } from '../../src/core/scope.js';
import { WorkerPool } from '../generation/worker-pool.js';
import { Guardian } from '../guardian/guardian.js';
import { openSupervisorLog, type SupervisorLog } from '../logs/supervisor-log.js';
import { makeRuntimeDir, removeRuntimeDir, removeSharedRuntimeDir } from '../runtime-dir.js';
import type { Boot } from './context.js';

export interface Grounded extends Boot {
  readonly hash: string;
  readonly scopePrefix: string;
  readonly runtimeDir: string;
  readonly containment: Containment;
  readonly pool: WorkerPool;
  readonly guardian: Guardian;
  /** as it was at the start; the supervisor's own is newer after a reload */
  readonly config: LoadedConfig;
  readonly log: SupervisorLog;
}

/**
 * A place for sockets, a means of containment, the configuration and a log.
 * @throws GatewardenError config-invalid, socket-path-too-long
 */
export async function layGround(boot: Boot): Promise<Grounded> {
  const { options, startTicks, cleanup } = boot;
  const hash = homeHash(options.home);
  const scopePrefix = instancePrefix(hash, instanceTag(process.pid, startTicks));
  const runtimeDir = makeRuntimeDir(options.home, options.env, process.getuid?.() ?? 0);
  const containment = chooseContainment({
    tag: scopePrefix.slice(0, -1),
    leaf: 'supervisor',
    treeName: `gatewarden-${hash}-${instanceTag(process.pid, startTicks)}`,
    treePrefix: `gatewarden-${hash}-`,
  });
  cleanup.add(() => containment.close());
  cleanup.add(() => {
    removeRuntimeDir(runtimeDir);
    removeSharedRuntimeDir(options.home);
  });
  const pool = new WorkerPool(scopePrefix, childEnvironment(options.env, {}));
  // boots on the other core while the configuration is read
  pool.prefork();
  cleanup.add(() => pool.dropSpare());
  const config = loadConfig(options.home, options.env);
  const guardian = new Guardian(scopePrefix, containment.place);
  guardian.start();
  cleanup.add(() => guardian.dismiss());
  const log = await openSupervisorLog({
    layout: boot.layout,
    host: config.host,
    env: options.env,
    stderr: options.stderr,
  });
  cleanup.add(() => log.close());
  return { ...boot, hash, scopePrefix, runtimeDir, containment, pool, guardian, config, log };
}
