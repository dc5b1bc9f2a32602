import type {
  AgentSettings,
  ContainmentGrant,
  GatewayAssignment,
  OwnedIdentity,
  OwnershipGrant,
  RestartLoopGuard,
} from '../core/assignment.js';
import { gatewayBudgets } from '../core/budgets.js';
import { GatewardenError } from '../core/errors.js';
import type { Secret } from '../core/secret.js';
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
  /** left out where every profile has a process of its own */
  readonly shared?: { readonly isGuest: boolean; readonly maxTurns: number };
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
    account: config.account,
    stateDir: profileLayout(facts.home, config.name).stateDir,
    localSocket: config.platforms.local ? facts.localSocket : undefined,
    agent: revealAgent(config.agent),
    ...apiOf(config, facts),
    drainMs,
    budgets,
    watchdog: config.watchdog,
    inactivity: config.inactivity,
    resume: { freshnessMs: config.resumeFreshnessMs, loopGuard: facts.restartLoopGuard },
    lifecycleNotices: config.lifecycleNotices,
    env: {
      ...childEnvironment(facts.parentEnv, config.env, config.account),
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

/** A guest binds nothing: its API is a part of its server's. */
function apiOf({ platforms }: ProfileConfig, { shared }: AssignmentFacts) {
  const { apiServer, servedApi } = platforms;
  const own = apiServer === undefined ? undefined : revealKey(apiServer);
  if (shared === undefined) return { apiServer: own };
  const { isGuest, maxTurns } = shared;
  if (!isGuest) return { apiServer: own, maxTurns };
  const part = servedApi === undefined ? undefined : revealKey(servedApi);
  return { apiServer: undefined, servedApi: part, maxTurns };
}

function revealKey<Settings extends { readonly key: Secret | undefined }>(settings: Settings) {
  return { ...settings, key: settings.key?.reveal() };
}
