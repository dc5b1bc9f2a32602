import { join } from 'node:path';
import type { Containment } from '../../containment/index.js';
import { messageOf } from '../../core/errors.js';
import type { ProcessIdentity } from '../../core/process-identity.js';
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
import { PROCESS_LIMITS, type ProcessLimits, WATCH_LIMITS, type WatchLimits } from './limits.js';
import { Notifier, type ProcessNotice } from './notifier.js';
import type { AbandonCause } from './plan-reap.js';
import { planRecovery } from './plan-recovery.js';
import { recover } from './recover.js';
import { ProcessRegistry } from './registry.js';
import { TurnClaims } from './turn-claims.js';

export interface ProcessesOptions {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** never written anywhere, also not as part of a command */
  readonly secrets: readonly string[];
  readonly containment: () => Containment;
  readonly onNotice: (notice: ProcessNotice) => void;
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
  /** which turn may start and claim what */
  readonly claims: TurnClaims;
  /** Lists again what an earlier gateway left; called once, by the profile's owner. */
  recover(): Promise<void>;
  /** Ends everything that is left; bounded. */
  close(): Promise<void>;
}

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
  const { env, containment, log, onNotice } = options;
  const notifier = new Notifier({ limits, watch, onNotice });
  const kept = new KeptProcesses(options, limits, () => registry);
  const onChange = () => kept.changed();
  const registry = new ProcessRegistry({ limits, env, containment, notifier, onChange });
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
    claims,
    recover: () => kept.recover(),
    close: async () => {
      await registry.close();
      await kept.close();
    },
  };
}

/** What of the processes is on disk. */
class KeptProcesses {
  readonly #options: ProcessesOptions;
  readonly #limits: ProcessLimits;
  readonly #registry: () => ProcessRegistry;
  readonly #path: string;
  /** ourselves; undefined where nobody can be told from a later owner of the same pid */
  readonly #self: ProcessIdentity | undefined = identityOf(process.pid);
  #foreign: readonly CheckpointEntry[] = [];
  #checkpoint: Checkpoint | undefined;

  constructor(options: ProcessesOptions, limits: ProcessLimits, registry: () => ProcessRegistry) {
    this.#options = options;
    this.#limits = limits;
    this.#registry = registry;
    this.#path = join(options.stateDir, 'processes.json');
  }

  changed(): void {
    this.#checkpoint?.changed();
  }

  async recover(): Promise<void> {
    const self = this.#self;
    if (self?.startTicks === undefined) return;
    const entries = parseCheckpoint(readJsonFile(this.#path));
    const plan = planRecovery({ entries, self, livenessOf });
    const { containment, log } = this.#options;
    const parts = { containment, limits: this.#limits, registry: this.#registry() };
    this.#foreign = await recover(plan, parts);
    if (entries.length > 0) {
      const adopted = plan.filter(({ kind }) => kind === 'adopt').length;
      log.info('found processes of an earlier gateway', { listed: entries.length, adopted });
    }
    this.#checkpoint = new Checkpoint(
      {
        path: this.#path,
        delayMs: this.#limits.checkpointDelayMs,
        render: () => this.#render(self),
        onTrouble: (thrown) => this.#tellTrouble(thrown),
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
    const own = this.#registry()
      .all.filter(({ isOccupied, facts }) => isOccupied && facts.identity.startTicks !== undefined)
      .map(({ facts }) => toEntry(facts, self, secrets));
    return renderCheckpoint([...this.#foreign, ...own]);
  }

  #tellTrouble(thrown: unknown): void {
    const { log } = this.#options;
    if (thrown === undefined) log.info('processes.json is written again');
    else log.warn('processes.json cannot be written', { reason: messageOf(thrown) });
  }
}
