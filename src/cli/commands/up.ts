import { existsSync } from 'node:fs';
import { checkNotices, writeStarterHome } from '../../config/index.js';
import { packageVersion } from '../../core/version.js';
import { managerOf } from '../../manager/index.js';
import { guardOutput } from '../../observability/index.js';
import { renderUp } from '../render/up-lines.js';
import { selfCommand } from '../self-command.js';
import { repairOwnUnit } from '../units/own-repair.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { tellWritten } from './init.js';

/** Runs the supervisor until it is told to stop; the exit code is its own. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const { runSupervisor } = await import('../../../supervisor/run.js');
  if (!existsSync(home)) {
    terminal.out(`no home at ${home} yet: writing a starter home`);
    tellWritten(writeStarterHome(home), context);
  }
  for (const notice of checkNotices(home)) terminal.error(`notice: ${notice}`);
  const command = selfCommand(home, env);
  let statusPage: string | undefined;
  return runSupervisor({
    home,
    env,
    once: hasFlag(invocation, 'once'),
    replace: hasFlag(invocation, 'replace'),
    ...(isManaged(env) ? { stderr: guardOutput(process.stderr) } : {}),
    standby: !hasFlag(invocation, 'no-standby'),
    onStandby: (owner) =>
      terminal.notice(`standing by: ${owner} owns ${home}; taking over when it is gone`),
    onStarted: (info) => {
      statusPage = info.statusPage;
      terminal.out(`gatewarden ${packageVersion()} supervises ${home} (pid ${info.pid})`);
      terminal.debug(`control socket: ${info.controlSocket}`);
    },
    onSettled: (report) => {
      terminal.out(renderUp({ report, statusPage, command }));
      void repairOwnUnit({ kind: 'supervisor' }, context);
    },
  });
}

/** A manager keeps our stderr as its log; in a terminal the events are for `gatewarden events`. */
function isManaged(env: Context['env']): boolean {
  const manager = managerOf({ env, pid: process.pid, isContainer: false });
  return manager !== 'terminal';
}
