import { join } from 'node:path';
import { readJsonFile } from '../../store/json-file.js';
import { Checkpoint } from './checkpoint.js';
import type { CheckpointEntry } from './checkpoint-file.js';
import {
  type ProcessResult,
  parseResults,
  planKeep,
  type ResultTerms,
  renderResults,
  toGoneResult,
  toResult,
} from './results-file.js';
import type { ToolProcess } from './tool-process.js';

export interface KeptResultsOptions extends ResultTerms {
  readonly stateDir: string;
  readonly onTrouble: (file: string, thrown: unknown) => void;
}

const FILE = 'process-results.json';

/** How background processes ended, also those of earlier gateways (spec/supervision.md 5.1). */
export class KeptResults {
  readonly #options: KeptResultsOptions;
  #results: readonly ProcessResult[] = [];
  #checkpoint: Checkpoint | undefined;

  constructor(options: KeptResultsOptions) {
    this.#options = options;
  }

  /** Called once, by the profile's owner; before that nothing is written. */
  open(): void {
    const path = join(this.#options.stateDir, FILE);
    const read = parseResults(readJsonFile(path));
    this.#results = [...read, ...this.#results];
    this.#checkpoint = new Checkpoint(
      {
        path,
        delayMs: this.#options.limits.checkpointDelayMs,
        render: () => renderResults(this.#kept()),
        onTrouble: (thrown) => this.#options.onTrouble(FILE, thrown),
      },
      renderResults(read),
    );
  }

  add(process: ToolProcess): void {
    this.#put(toResult(process, this.#options));
  }

  addGone(entry: CheckpointEntry): void {
    this.#put(toGoneResult(entry, Date.now()));
  }

  /** Of one conversation, newest first. */
  of(sessionKey: string): readonly ProcessResult[] {
    const own = this.#kept().filter((one) => one.sessionKey === sessionKey);
    return own.reverse();
  }

  find(id: string, sessionKey: string): ProcessResult | undefined {
    return this.of(sessionKey).find((one) => one.id === id);
  }

  async close(): Promise<void> {
    await this.#checkpoint?.flush();
  }

  #put(result: ProcessResult | undefined): void {
    if (result === undefined) return;
    this.#results = [...this.#results.filter(({ id }) => id !== result.id), result];
    this.#results = this.#kept();
    this.#checkpoint?.changed();
  }

  #kept(): ProcessResult[] {
    const { resultKeptMs: keptMs, maxResults: max } = this.#options.limits;
    return planKeep({ results: this.#results, now: Date.now(), keptMs, max });
  }
}
