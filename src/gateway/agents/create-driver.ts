import type { GatewayAssignment } from '../../core/assignment.js';
import type { GatewayLog } from '../log.js';
import type { AgentDriver } from './port.js';

/** Loads only the driver that the profile asks for. */
export async function createDriver(
  assignment: GatewayAssignment,
  log: GatewayLog,
): Promise<AgentDriver> {
  const { agent, profile, secrets } = assignment;
  switch (agent.driver) {
    case 'echo': {
      const { createEchoDriver } = await import('./echo/driver.js');
      return createEchoDriver();
    }
    case 'openai': {
      const { createOpenaiDriver } = await import('./openai/driver.js');
      return createOpenaiDriver(agent, { profile, secrets, log });
    }
    case 'command': {
      const { createCommandDriver } = await import('./command/driver.js');
      return createCommandDriver(agent, { profile, secrets, env: assignment.env });
    }
    default:
      return agent satisfies never;
  }
}
