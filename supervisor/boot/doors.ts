import { rmSync } from 'node:fs';
import { hostBudgets, renderAddress } from '../../src/config/index.js';
import { controlSocketPath } from '../../src/config/paths.js';
import { clientWaitMs } from '../../src/core/budgets.js';
import { packageVersion } from '../../src/core/version.js';
import { identityOf, ownOwner, writeJsonFile } from '../../src/store/index.js';
import { type ControlServer, startControlServer } from '../control/index.js';
import { ControlAdapter } from '../control-adapter.js';
import type { Assembled } from './assemble.js';

export interface Answering extends Assembled {
  readonly port: ControlAdapter;
  readonly control: ControlServer;
}

/** From here on the control API answers. */
export async function openDoors(before: Assembled): Promise<Answering> {
  const { supervisor, store, hub, logs, containment, unended, startedAt, cleanup } = before;
  const port = new ControlAdapter({
    supervisor,
    store,
    hub,
    logs,
    containment,
    unended,
    startedAt,
    env: before.options.env,
    notices: before.owned.notices,
  });
  const { listen, token } = before.config.host.control;
  const control = await startControlServer({
    socketPath: controlSocketPath(before.runtimeDir),
    // the configuration refuses an address without a token
    tcp: listen === undefined || token === undefined ? undefined : { ...listen, token },
    statusPage: before.config.host.statusPage.enabled,
    port,
  });
  cleanup.add(() => control.close());
  announce(before, control);
  return { ...before, port, control };
}

export function urlOf({ address }: ControlServer): string | undefined {
  return address.tcp === undefined ? undefined : `http://${renderAddress(address.tcp)}/`;
}

/** A hint for clients in other shells: the lock stays the truth. */
function announce(before: Assembled, control: ControlServer): void {
  const { layout, hub, cleanup } = before;
  writeHint(before, control);
  // who replaces us waits as long as our newest budgets say
  const stop = hub.subscribe(({ event }) => {
    if (event.code === 'reloaded') writeHint(before, control);
  });
  cleanup.add(() => {
    stop();
    rmSync(layout.supervisorHint, { force: true });
  });
}

function writeHint({ layout, startedAt, supervisor }: Assembled, control: ControlServer): void {
  const identity = identityOf(process.pid);
  try {
    writeJsonFile(layout.supervisorHint, {
      pid: process.pid,
      startTicks: identity?.startTicks,
      bootId: identity?.bootId,
      home: layout.home,
      owner: { ...ownOwner(layout.home), startedAt: startedAt.getTime() },
      socket: control.address.socketPath,
      tcp: urlOf(control),
      startedAt: startedAt.toISOString(),
      version: packageVersion(),
      stopMs: clientWaitMs(hostBudgets(supervisor.config)),
    });
  } catch {
    // a full disk: clients find the socket by its usual place
    rmSync(layout.supervisorHint, { force: true });
  }
}
