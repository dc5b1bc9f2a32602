import type {
  AgentSettings,
  ApiServerSettings,
  ContainmentGrant,
  GatewayAssignment,
  OwnedIdentity,
  OwnershipGrant,
  RestartLoopGuard,
} from '../core/assignment.js';
import { gatewayBudgets } from '../core/budgets.js';
import { GatewardenError } from '../core/errors.js';
import { waitsOf } from './budgets.js';
import { childEnvironment } from './child-environment.js';
import type { AgentConfig, ProfileConfig } from './model.js';
import { type Environment, profileLayout } from './paths.js';

export interface AssignmentFacts {
  readonly home: string;
  /** 0 when run without a supervisor */
  readonly generation: number;
  /** where `local` listens; ignored when the profile has it off */
  readonly localSocket: string | undefined;
  readonly parentEnv: Environment;
  readonly restartLoopGuard: RestartLoopGuard;
  /** left out without a supervisor */
  readonly containment?: ContainmentGrant;
  /** what its starter knows of other owners; the identities come from the configuration */
  readonly ownership?: Omit<OwnershipGrant, 'identities'>;
}

/**
 * What a gateway is told about its profile. Secrets leave their wrapping here: never log it.
 * @throws GatewardenError runs-as-command for a profile that is another program
 */
export function buildAssignment(config: ProfileConfig, facts: AssignmentFacts): GatewayAssignment {
  if (config.command !== undefined) {
    throw new GatewardenError('runs-as-command', { profile: config.name });
  }
  const { drainMs, ...budgets } = gatewayBudgets(waitsOf(config));
  return {
    profile: config.name,
    generation: facts.generation,
    home: facts.home,
    stateDir: profileLayout(facts.home, config.name).stateDir,
    localSocket: config.platforms.local ? facts.localSocket : undefined,
    agent: revealAgent(config.agent),
    apiServer: revealApiServer(config.platforms.apiServer),
    drainMs,
    budgets,
    watchdog: config.watchdog,
    inactivity: config.inactivity,
    resume: { freshnessMs: config.resumeFreshnessMs, loopGuard: facts.restartLoopGuard },
    lifecycleNotices: config.lifecycleNotices,
    env: {
      ...childEnvironment(facts.parentEnv, config.env),
      GATEWARDEN_HOME: facts.home,
      GATEWARDEN_PROFILE: config.name,
    },
    secrets: config.secrets.map((secret) => secret.reveal()),
    toolMemoryBytes: config.limits.toolMemoryBytes,
    containment: facts.containment,
    ownership: facts.ownership && { ...facts.ownership, identities: ownedIdentities(config) },
  };
}

/** The accounts that a profile declares as its own, in the open: never log them. */
export function ownedIdentities({ owns }: ProfileConfig): OwnedIdentity[] {
  return Object.entries(owns).map(([scope, identity]) => ({ scope, identity: identity.reveal() }));
}

function revealAgent(agent: AgentConfig): AgentSettings {
  return agent.driver === 'openai' ? { ...agent, apiKey: agent.apiKey?.reveal() } : agent;
}

function revealApiServer(
  apiServer: ProfileConfig['platforms']['apiServer'],
): ApiServerSettings | undefined {
  return apiServer === undefined ? undefined : { ...apiServer, key: apiServer.key?.reveal() };
}
