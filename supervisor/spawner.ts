import { join } from 'node:path';
import {
  buildAssignment,
  childEnvironment,
  ownedIdentities,
  processBudgets,
} from '../src/config/index.js';
import type { HostConfig, ProfileConfig } from '../src/config/model.js';
import { localSocketPath, profileLayout } from '../src/config/paths.js';
import type { Containment, Scope } from '../src/containment/index.js';
import type { ContainmentGrant, GatewayAssignment } from '../src/core/assignment.js';
import type { BudgetChain } from '../src/core/budgets.js';
import { GatewardenError } from '../src/core/errors.js';
import { DEFAULT_PROFILE } from '../src/core/names.js';
import { generationScope } from '../src/core/scope.js';
import { claimIdentitiesNow } from '../src/ownership/claim-identities.js';
import { ownOwner } from '../src/store/index.js';
import { prepareAccount } from './accounts/prepare-account.js';
import { spawnCommandGeneration } from './generation/command-generation.js';
import type { Generation, GenerationListener } from './generation/generation.js';
import { neverBegun } from './generation/never-begun.js';
import { spawnWorkerGeneration } from './generation/worker-generation.js';
import type { WorkerPool } from './generation/worker-pool.js';
import type { Guardian } from './guardian/guardian.js';
import { withGuestBudgets } from './multiplex/guest-budgets.js';
import type { Lodging } from './multiplex/multiplex.js';
import { spawnGuestGeneration } from './multiplex/spawn-guest.js';
import { GenerationRun } from './profile/generation-run.js';
import type { ProfileView } from './profile/profile-view.js';
import type { GoodProfile, RunListener } from './profile/run-contract.js';
import type { SlotSource } from './profile/start-slots.js';
import { makeSharedRuntimeDir } from './runtime-dir.js';
import { SpawnGuard } from './spawn-guard.js';

/** Looking more often finds nothing sooner than the kernel's own work takes. */
const LOOK_EVERY_MS = 20;

/** What a dead gateway left behind gets this long after SIGTERM. */
const LEFTOVER_GRACE_MS = 2000;

/** A tree that survives SIGKILL for so long hangs in the kernel: it is reported, not waited for. */
const GIVE_UP_MS = 10_000;

export const ENDING_TIMES = {
  graceMs: LEFTOVER_GRACE_MS,
  giveUpMs: GIVE_UP_MS,
  lookEveryMs: LOOK_EVERY_MS,
} as const;

/** The gateway itself; turns stand beside it in the profile's cgroup. */
const GATEWAY_LEAF = 'gateway';

export interface SpawnerFacts {
  readonly home: string;
  readonly runtimeDir: string;
  readonly scopePrefix: string;
  readonly parentEnv: Readonly<Record<string, string | undefined>>;
  readonly pool: WorkerPool;
  readonly containment: Containment;
  readonly guardian: Guardian;
  readonly host: () => HostConfig;
  readonly lodgingOf: (profile: string) => Lodging;
  /** those that the default profile's gateway serves */
  readonly served: () => readonly ProfileConfig[];
  /** how the paths of claims of identities begin */
  readonly identityStems: readonly string[];
}

/** Starts generations of both kinds with the environment, tag and budgets that belong to them. */
export class Spawner {
  readonly #facts: SpawnerFacts;
  readonly #guard: SpawnGuard;

  constructor(facts: SpawnerFacts) {
    this.#facts = facts;
    const configuration = () => configured(facts.host());
    this.#guard = new SpawnGuard({ home: facts.home, configuration });
  }

  /** Where a profile waits for its turn, once nobody else than us has it. */
  guarded(profile: string, slots: SlotSource): SlotSource {
    return this.#guard.inFrontOf(profile, slots);
  }

  spawn(profile: ProfileView, loaded: GoodProfile, listener: RunListener): GenerationRun {
    const host = this.#facts.host();
    profile.listeners.giveTo(loaded.config.account);
    const run = new GenerationRun(
      {
        profile: profile.name,
        number: profile.generation,
        drainMs: loaded.config.drainMs,
        secrets: loaded.config.secrets.map((secret) => secret.reveal()),
        listeners: profile.listeners,
        watch: {
          profile: profile.name,
          generation: profile.generation,
          evidenceDir: profileLayout(this.#facts.home, profile.name).evidenceDir,
          uid: loaded.config.account?.uid,
          policy: loaded.config.watchdog,
        },
        policy: {
          start: host.start,
          killAfterMs: host.stop.killAfterMs,
          budgets: this.#budgets(loaded.config),
          ending: ENDING_TIMES,
        },
      },
      (generationListener) => this.#generation(profile, loaded, generationListener),
      listener,
    );
    if (loaded.config.command !== undefined && run.pid !== undefined) {
      this.#facts.guardian.add(run.pid);
    }
    return run;
  }

  #generation(profile: ProfileView, loaded: GoodProfile, listener: GenerationListener): Generation {
    const refusal = this.#guard.refusalOf(profile.name) ?? this.#prepare(loaded.config);
    if (refusal !== undefined) return this.#refused(refusal, { profile, loaded }, listener);
    if (loaded.config.command !== undefined) return this.#command(profile, loaded, listener);
    const lodging = this.#facts.lodgingOf(profile.name);
    if (lodging.place === 'own') return this.#worker(profile, loaded, listener);
    const { config } = loaded;
    const tag = generationScope(this.#facts.scopePrefix, profile.name, profile.generation);
    const scope = this.#openScope(config, tag);
    const assignment = this.#assignment(profile, config, { scope, isGuest: true });
    return spawnGuestGeneration({ assignment, scope, guests: lodging.guests }, listener);
  }

  #refused(
    { exitCode, message: detail, next: remedy }: GatewardenError,
    { profile, loaded }: { readonly profile: ProfileView; readonly loaded: GoodProfile },
    listener: GenerationListener,
  ): Generation {
    const { generation: number, name } = profile;
    const tag = generationScope(this.#facts.scopePrefix, name, number);
    const scope = this.#openScope(loaded.config, tag);
    return neverBegun({ number, scope, exitCode, detail, remedy }, listener);
  }

  #prepare(config: ProfileConfig): GatewardenError | undefined {
    const { account, command, name, platforms } = config;
    const needsSocket = command === undefined ? platforms.local : command.ready.kind === 'notify';
    const socketDir = needsSocket ? this.#socketDir(config) : undefined;
    try {
      prepareAccount({ account, name, home: this.#facts.home, socketDir });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof GatewardenError) return thrown;
      throw thrown;
    }
  }

  #socketDir({ account }: ProfileConfig): string {
    const { home, parentEnv, runtimeDir } = this.#facts;
    return account === undefined ? runtimeDir : makeSharedRuntimeDir(home, parentEnv);
  }

  #worker(profile: ProfileView, loaded: GoodProfile, listener: GenerationListener): Generation {
    const { config } = loaded;
    const plan = {
      openScope: (tag: string) => this.#openScope(config, tag),
      assignmentIn: (scope: Scope) => this.#assignment(profile, config, { scope, isGuest: false }),
    };
    return spawnWorkerGeneration(this.#facts.pool, plan, listener);
  }

  #assignment(
    { generation, name }: ProfileView,
    config: ProfileConfig,
    { scope, isGuest }: { readonly scope: Scope; readonly isGuest: boolean },
  ): GatewayAssignment {
    const { home, parentEnv } = this.#facts;
    const { multiplexMaxTurns: maxTurns, restartLoopGuard } = this.#facts.host().gateway;
    const assignment = buildAssignment(config, {
      home,
      generation,
      localSocket: config.platforms.local
        ? localSocketPath(this.#socketDir(config), name)
        : undefined,
      parentEnv,
      restartLoopGuard,
      containment: this.#grantIn(scope, config),
      ownership: this.#ownership(),
      ...(isGuest || this.#hosts(config) ? { shared: { isGuest, maxTurns } } : {}),
    });
    return this.#hosts(config) ? withGuestBudgets(assignment, this.#budgets(config)) : assignment;
  }

  /** Its end waits for the end of those whom it serves. */
  #budgets(config: ProfileConfig): BudgetChain {
    const served = this.#hosts(config) ? this.#facts.served() : undefined;
    return processBudgets(config, served, this.#facts.host());
  }

  #hosts({ name }: ProfileConfig): boolean {
    return name === DEFAULT_PROFILE && this.#facts.host().gateway.multiplexProfiles;
  }

  #ownership() {
    return {
      supervised: true,
      force: false,
      replace: false,
      replaceWaitMs: 0,
      ...configured(this.#facts.host()),
      supervisor: undefined,
      identityStems: this.#facts.identityStems,
    };
  }

  /** One that survived its end keeps its place: the successor then gets another. */
  #openScope({ account, command, name, limits }: ProfileConfig, tag: string): Scope {
    // a gateway opens scopes of its own in it; any other program has no business there
    const owner = command === undefined ? account : undefined;
    return this.#facts.containment.openScope(name, { tag, limits, leaf: GATEWAY_LEAF, owner });
  }

  #grantIn({ place }: Scope, { limits }: ProfileConfig): ContainmentGrant {
    const { limits: support, weakerBecause } = this.#facts.containment;
    const isPerProcess = support.memoryBytes.kind === 'process';
    return {
      place,
      weakerBecause,
      memoryBytesPerProcess: isPerProcess ? limits.memoryBytes : undefined,
      holdsMemory: support.memoryBytes.kind === 'tree',
    };
  }

  #command(profile: ProfileView, loaded: GoodProfile, listener: GenerationListener): Generation {
    const { account, command, env } = loaded.config;
    if (command === undefined) throw new TypeError('a command profile without a command');
    return spawnCommandGeneration(
      {
        claim: () =>
          claimIdentitiesNow(ownedIdentities(loaded.config), {
            owner: ownOwner(this.#facts.home, profile.name),
            stems: this.#facts.identityStems,
            when: 'start',
          }),
        number: profile.generation,
        program: command,
        account,
        environment: {
          ...childEnvironment(this.#facts.parentEnv, env, account),
          GATEWARDEN_PROFILE: profile.name,
          GATEWARDEN_SUPERVISED: '1',
        },
        scope: this.#openScope(
          loaded.config,
          generationScope(this.#facts.scopePrefix, profile.name, profile.generation),
        ),
        notifySocket: join(this.#socketDir(loaded.config), `${profile.name}.notify`),
      },
      listener,
    );
  }
}

function configured({ gateway }: HostConfig) {
  return { multiplexes: gateway.multiplexProfiles, allowlist: gateway.multiplexAllowlist };
}
