import { homeLayout } from '../../config/paths.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { packageVersion } from '../../core/version.js';
import { hintOf, type Reach, reach, socketCandidates } from '../control/reach.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

/** Version, Node, containment, paths: what a bug report needs. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const layout = homeLayout(home);
  const found = await reach(home, env);
  const supervisor = found.kind === 'answers' ? found.report.supervisor : undefined;
  const facts = {
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    home,
    config: layout.configFile,
    logs: layout.logsDir,
    controlSocket:
      found.kind === 'answers'
        ? found.client.socketPath
        : (socketCandidates(home, env, hintOf(home))[0] ?? null),
    supervisor:
      supervisor === undefined
        ? null
        : { version: supervisor.version, pid: supervisor.pid, containment: supervisor.containment },
  };
  if (hasFlag(invocation, 'json')) {
    terminal.out(JSON.stringify(facts));
    return CLI_EXIT.done;
  }
  const rows = [
    `gatewarden ${facts.version}`,
    `node        ${facts.node} (${facts.platform})`,
    `home        ${facts.home}`,
    `config      ${facts.config}`,
    `logs        ${facts.logs}`,
    `control     ${facts.controlSocket ?? 'no socket'}`,
    `supervisor  ${describeSupervisor(found)}`,
  ];
  for (const row of rows) terminal.out(row);
  return CLI_EXIT.done;
}

function describeSupervisor(found: Reach): string {
  if (found.kind === 'silent') return 'does not answer';
  if (found.kind === 'none') return 'does not run';
  const { containment, pid, version } = found.report.supervisor;
  return `${version}, pid ${pid}, containment ${containment}`;
}
