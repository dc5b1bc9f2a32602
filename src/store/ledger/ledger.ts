import { rename, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isSameProcess, type ProcessIdentity } from '../../core/process-identity.js';
import { readJsonFile, writeJsonFile } from '../json-file.js';
import { livenessOf } from '../process-table.js';
import {
  type EarlierLife,
  isMemoryCritical,
  judgeEarlierLife,
  type LedgerPhase,
  type LedgerRecord,
  type MemorySample,
  parseLedgerRecord,
} from './record.js';

export interface LedgerOptions {
  readonly path: string;
  readonly identity: ProcessIdentity;
  /** between two signs of life */
  readonly beatMs?: number;
  readonly sample?: () => MemorySample;
}

/** Often enough to tell when it happened; fifty gateways write three small files a second. */
const BEAT_MS = 15_000;

/** A record of a life as it was written last; undefined: there is none. */
export function readLife(path: string): LedgerRecord | undefined {
  return parseLedgerRecord(readJsonFile(path));
}

/** What the record says of whoever wrote it, without touching it. */
export function readEarlierLife(path: string): EarlierLife {
  return judgeEarlierLife(readLife(path), livenessOf);
}

/**
 * The record of this process's own life. Whoever finds it "running" with a dead owner knows that
 * the end was not orderly. Nothing that goes wrong here may cost us anything: it is evidence.
 */
export class Ledger {
  /** what became of whoever was here before us */
  readonly earlier: EarlierLife;
  readonly #options: Required<LedgerOptions>;
  readonly #startedAt = Date.now();
  readonly #timer: NodeJS.Timeout;
  #phase: LedgerPhase = 'running';
  #writing: Promise<void> | undefined;

  constructor(options: LedgerOptions) {
    this.#options = { beatMs: BEAT_MS, sample: sampleMemory, ...options };
    this.earlier = readEarlierLife(options.path);
    this.#write(undefined);
    this.#timer = setInterval(() => this.#beat(), this.#options.beatMs).unref();
  }

  draining(): void {
    if (this.#phase !== 'running') return;
    this.#phase = 'draining';
    this.#writeOwn(undefined);
  }

  /** The last word: later beats are silent. */
  exited(isClean: boolean): void {
    if (this.#phase === 'exited') return;
    this.#phase = 'exited';
    clearInterval(this.#timer);
    this.#writeOwn(isClean);
  }

  /** Our successor writes the same file: from then on it is its record, not ours. */
  #isOurs(): boolean {
    const present = readLife(this.#options.path);
    const { identity } = this.#options;
    if (present === undefined) return true;
    // without /proc two identities are never proven the same: the pid has to do
    return isSameProcess(present.identity, identity) || present.identity.pid === identity.pid;
  }

  #writeOwn(isClean: boolean | undefined): void {
    if (this.#isOurs()) this.#write(isClean);
  }

  /** The two edges of a life are worth a sync; a full disk makes the next one judge us unclean. */
  #write(isClean: boolean | undefined): void {
    try {
      writeJsonFile(this.#options.path, this.#record(isClean));
    } catch {
      // the record is evidence, not state
    }
  }

  /** Off the loop and without a sync: one that took 31 s once made a watchdog kill the healthy. */
  #beat(): void {
    this.#writing ??= this.#writeBeat().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeBeat(): Promise<void> {
    const { path } = this.#options;
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    try {
      await writeFile(temporary, JSON.stringify(this.#record(undefined)), { mode: 0o600 });
      // the phase may have changed meanwhile, and then that record is the newer one
      if (this.#phase === 'running' && this.#isOurs()) await rename(temporary, path);
      else await rm(temporary, { force: true });
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  #record(isClean: boolean | undefined): LedgerRecord {
    return {
      phase: this.#phase,
      identity: this.#options.identity,
      startedAt: this.#startedAt,
      heartbeatAt: Date.now(),
      memory: this.#options.sample(),
      isClean,
    };
  }
}

/** Within our own limit where there is one, as Node knows it. */
function sampleMemory(): MemorySample {
  const availableBytes = process.availableMemory();
  const constrainedBytes = process.constrainedMemory();
  const limitBytes = constrainedBytes > 0 ? Math.min(constrainedBytes, totalmem()) : totalmem();
  return {
    rssBytes: process.memoryUsage.rss(),
    availableBytes,
    isCritical: isMemoryCritical(availableBytes, limitBytes),
  };
}
