import { join } from 'node:path';
import type { Containment } from '../../containment/index.js';
import { messageOf } from '../../core/errors.js';
import type { ProcessIdentity } from '../../core/process-identity.js';
import type { CrowdedTurn } from '../../core/work.js';
import { readJsonFile } from '../../store/json-file.js';
import { identityOf, livenessOf } from '../../store/process-table.js';
import type { GatewayLog } from '../log.js';
import { Checkpoint } from './checkpoint.js';
import {
  type CheckpointEntry,
  parseCheckpoint,
  renderCheckpoint,
  toEntry,
} from './checkpoint-file.js';
import { KeptResults } from './kept-results.js';
import { PROCESS_LIMITS, type ProcessLimits, WATCH_LIMITS, type WatchLimits } from './limits.js';
import { Notifier, type ProcessNotice } from './notifier.js';
import type { AbandonCause } from './plan-reap.js';
import { planRecovery } from './plan-recovery.js';
import { recover } from './recover.js';
import { ProcessRegistry } from './registry.js';
import { TurnClaims } from './turn-claims.js';
import { createTurnGauge } from './turn-gauge.js';

export interface ProcessesOptions {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** never written anywhere, also not as part of a command */
  readonly secrets: readonly string[];
  readonly containment: () => Containment;
  readonly onNotice: (notice: ProcessNotice) => void;
  readonly onCrowded?: (crowded: CrowdedTurn) => void;
  /** one was started that is meant to outlive its turn */
  readonly onKept?: (turnId: string, scope: string) => void;
  readonly log: GatewayLog;
  readonly limits?: Partial<ProcessLimits>;
  readonly watch?: Partial<WatchLimits>;
}

/** The tool processes of one gateway. */
export interface GatewayProcesses {
  readonly limits: ProcessLimits;
  readonly watch: WatchLimits;
  readonly registry: ProcessRegistry;
  readonly notifier: Notifier;
  /** how those ended that the registry has forgotten */
  readonly results: KeptResults;
  /** which turn may start and claim what */
  readonly claims: TurnClaims;
  /** Lists again what an earlier gateway left; called once, by the profile's owner. */
  recover(): Promise<void>;
  /** Ends everything that is left; bounded. */
  close(): Promise<void>;
}

const FILE = 'processes.json';

/** Why each cause of an abandonment ended a process, as the agent and the log read it. */
const REAPED_BY: Readonly<Record<AbandonCause, string>> = {
  inactivity: 'its turn was inactive for too long',
  stop: 'its turn was stopped',
  new: 'a new conversation was begun',
  'caller-left': 'the caller of its turn left',
};

/** Only wires. */
export function openProcesses(options: ProcessesOptions): GatewayProcesses {
  const limits = { ...PROCESS_LIMITS, ...options.limits };
  const watch = { ...WATCH_LIMITS, ...options.watch };
  const { env, secrets, containment, log, onNotice, onKept = () => {} } = options;
  const notifier = new Notifier({ limits, watch, onNotice });
  const results = openResults(options, limits);
  const kept = new KeptProcesses(options, { limits, results, registry: () => registry });
  const registry = new ProcessRegistry({
    limits,
    env,
    secrets,
    containment,
    notifier,
    onKept,
    onChange: () => kept.changed(),
    onResult: (process) => results.add(process),
  });
  const gauge = createTurnGauge({
    processes: () => registry.all,
    containment,
    limits,
    alarm: (crowded) => {
      log.warn('unusually many processes of one turn', { ...crowded });
      options.onCrowded?.(crowded);
    },
  });
  gauge.start();
  const claims = new TurnClaims({
    processes: () => registry.owned,
    reap: (ids, cause) => {
      log.info('ending what an abandoned turn started', { cause, processes: ids.length });
      registry.reap(ids, REAPED_BY[cause]);
    },
  });
  return {
    limits,
    watch,
    registry,
    notifier,
    results,
    claims,
    recover: () => kept.recover(),
    close: async () => {
      gauge.stop();
      await registry.close();
      await Promise.all([kept.close(), results.close()]);
    },
  };
}

function openResults({ stateDir, secrets, log }: ProcessesOptions, limits: ProcessLimits) {
  const onTrouble = (file: string, thrown: unknown) => tellTrouble(log, file, thrown);
  return new KeptResults({ stateDir, secrets, limits, onTrouble });
}

function tellTrouble(log: GatewayLog, file: string, thrown: unknown): void {
  if (thrown === undefined) log.info(`${file} is written again`);
  else log.warn(`${file} cannot be written`, { reason: messageOf(thrown) });
}

interface KeptParts {
  readonly limits: ProcessLimits;
  readonly results: KeptResults;
  readonly registry: () => ProcessRegistry;
}

/** What of the processes is on disk. */
class KeptProcesses {
  readonly #options: ProcessesOptions;
  readonly #parts: KeptParts;
  readonly #path: string;
  /** ourselves; undefined where nobody can be told from a later owner of the same pid */
  readonly #self: ProcessIdentity | undefined = identityOf(process.pid);
  #foreign: readonly CheckpointEntry[] = [];
  #checkpoint: Checkpoint | undefined;

  constructor(options: ProcessesOptions, parts: KeptParts) {
    this.#options = options;
    this.#parts = parts;
    this.#path = join(options.stateDir, FILE);
  }

  changed(): void {
    this.#checkpoint?.changed();
  }

  async recover(): Promise<void> {
    const self = this.#self;
    const { limits, results } = this.#parts;
    results.open();
    if (self?.startTicks === undefined) return;
    const entries = parseCheckpoint(readJsonFile(this.#path));
    const plan = planRecovery({ entries, self, livenessOf });
    const { containment, log } = this.#options;
    this.#foreign = await recover(plan, {
      containment,
      limits,
      registry: this.#parts.registry(),
      onGone: (entry) => results.addGone(entry),
    });
    if (entries.length > 0) {
      const adopted = plan.filter(({ kind }) => kind === 'adopt').length;
      log.info('found processes of an earlier gateway', { listed: entries.length, adopted });
    }
    this.#checkpoint = new Checkpoint(
      {
        path: this.#path,
        delayMs: limits.checkpointDelayMs,
        render: () => this.#render(self),
        onTrouble: (thrown) => tellTrouble(log, FILE, thrown),
      },
      entries.length === 0 ? renderCheckpoint([]) : '',
    );
    this.changed();
  }

  async close(): Promise<void> {
    await this.#checkpoint?.flush();
  }

  #render(self: ProcessIdentity): string {
    const { secrets } = this.#options;
    const own = this.#parts
      .registry()
      .all.filter(({ isOccupied, facts }) => isOccupied && facts.identity.startTicks !== undefined)
      .map(({ facts }) => toEntry(facts, self, secrets));
    return renderCheckpoint([...this.#foreign, ...own]);
  }
}
