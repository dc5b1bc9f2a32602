import { writeFileSync } from 'node:fs';
import { controlSocketPath, type Environment } from '../../src/config/paths.js';
import { GatewardenError } from '../../src/core/errors.js';
import { describeOwner } from '../../src/core/owner.js';
import { packageVersion } from '../../src/core/version.js';
import type { LostLease } from '../../src/ownership/held-lease.js';
import { here } from '../../src/store/index.js';
import type { EventHub } from '../events/event-hub.js';
import type { Supervisor } from '../supervisor.js';
import type { Heard } from './call-herald.js';
import { urlOf } from './doors.js';

/** Starts the profiles; resolves with the code to exit with, once everything is down. */
export async function serve(running: Heard): Promise<number> {
  const { options, supervisor, hub, port, control, herald } = running;
  hub.publish({ code: 'supervisor-started', pid: process.pid, version: packageVersion() });
  options.onStarted?.({
    pid: process.pid,
    controlSocket: controlSocketPath(running.runtimeDir),
    statusPage: running.config.host.statusPage.enabled ? urlOf(control) : undefined,
  });
  tellWhenSettled(supervisor, hub, () => {
    herald.ready();
    void port.status().then((report) => options.onSettled?.(report));
  });
  supervisor.start();
  // nothing that is wanted: no state will ever change
  if (!supervisor.profiles.some((profile) => profile.isActive)) setImmediate(() => herald.ready());
  let lost: LostLease | undefined;
  void running.owned.lost.then((found) => {
    lost = found;
  });
  const code = await supervisor.finished;
  if (supervisor.endsForEssential) leaveEndCode(options.env, code);
  hub.publish({ code: 'supervisor-stopped' });
  if (lost === undefined) return code;
  throw new GatewardenError('home-lost', {
    home: options.home,
    owner: describeOwner(lost.by, here()),
    reason: lost.reason,
  });
}

/**
 * For a container's init: it ends with this code instead of starting us again. An exit code
 * alone cannot say that, because a supervisor that merely failed is to be started again.
 */
function leaveEndCode({ GATEWARDEN_END_CODE_FILE: file }: Environment, code: number): void {
  if (file === undefined || file === '') return;
  try {
    writeFileSync(file, `${code}\n`);
  } catch {
    // then we are started again and end again
  }
}

function tellWhenSettled(supervisor: Supervisor, hub: EventHub, settled: () => void): void {
  const stop = hub.subscribe(({ event }) => {
    if (event.code !== 'state' || supervisor.isSettling) return;
    stop();
    setImmediate(settled);
  });
}
