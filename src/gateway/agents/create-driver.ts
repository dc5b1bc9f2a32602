import { dirname } from 'node:path';
import type { Containment } from '../../containment/index.js';
import type { GatewayAssignment, ToolName } from '../../core/assignment.js';
import type { GatewayLog } from '../log.js';
import type { GatewayProcesses } from '../processes/open-processes.js';
import type { Tool } from '../tools/port.js';
import type { AgentDriver } from './port.js';

/** What a driver starts programs with. */
export interface DriverParts {
  readonly processes: GatewayProcesses;
  readonly containment: () => Containment;
}

/** Loads only the driver that the profile asks for. */
export async function createDriver(
  assignment: GatewayAssignment,
  log: GatewayLog,
  { processes, containment }: DriverParts,
): Promise<AgentDriver> {
  const { agent, profile, secrets } = assignment;
  switch (agent.driver) {
    case 'echo': {
      const { createEchoDriver } = await import('./echo/driver.js');
      return createEchoDriver();
    }
    case 'openai': {
      const { createOpenaiDriver } = await import('./openai/driver.js');
      const tools = await createAgentTools(assignment, agent.tools, processes);
      return createOpenaiDriver(agent, { profile, secrets, log, tools });
    }
    case 'command': {
      const { createCommandDriver } = await import('./command/driver.js');
      return createCommandDriver(agent, { profile, secrets, env: assignment.env, containment });
    }
    default:
      return agent satisfies never;
  }
}

async function createAgentTools(
  { profile, stateDir, secrets }: GatewayAssignment,
  names: readonly ToolName[],
  processes: GatewayProcesses,
): Promise<readonly Tool[]> {
  if (names.length === 0) return [];
  const { createTools } = await import('../tools/create-tools.js');
  // the profile's own directory is where its state is kept
  const self = { profile, pids: [process.pid, process.ppid] };
  return createTools(names, { processes, secrets, self, cwd: dirname(stateDir) });
}
