import { loadConfig, renderProblems, withPlaceOf } from '../../src/config/index.js';
import type { LoadedConfig, LoadedProfile } from '../../src/config/model.js';
import { GatewardenError } from '../../src/core/errors.js';

export type ReadOutcome =
  | { readonly kind: 'read'; readonly config: LoadedConfig }
  | { readonly kind: 'refused'; readonly problems: string; readonly error: GatewardenError };

/** The configuration in force, what is on disk now, and what of that was not taken. */
export class Inputs {
  readonly #home: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #refused = new Map<string, string>();
  #config: LoadedConfig;

  constructor(facts: {
    home: string;
    env: Readonly<Record<string, string | undefined>>;
    config: LoadedConfig;
  }) {
    this.#home = facts.home;
    this.#env = facts.env;
    this.#config = facts.config;
  }

  get config(): LoadedConfig {
    return this.#config;
  }

  /** What is on disk; a host file that cannot be used is an answer, not an exception. */
  read(): ReadOutcome {
    try {
      return { kind: 'read', config: loadConfig(this.#home, this.#env) };
    } catch (error) {
      if (error instanceof GatewardenError) {
        return { kind: 'refused', problems: error.message, error };
      }
      throw error;
    }
  }

  /**
   * The whole of a newly read configuration: what was refused is refused anew by whoever takes it.
   */
  adopt(config: LoadedConfig): void {
    this.#config = config;
    this.#refused.clear();
  }

  /** One profile as it is on disk; undefined when the host file is bad or the profile is gone. */
  readProfile(name: string): LoadedProfile | undefined {
    const outcome = this.read();
    return outcome.kind === 'read' ? outcome.config.profiles.get(name) : undefined;
  }

  /** Of a changed allow-list only what it says of this profile: nobody else is moved by that. */
  adoptPlaceOf(name: string): void {
    const outcome = this.read();
    if (outcome.kind === 'read') this.#config = withPlaceOf(name, this.#config, outcome.config);
  }

  /** The last good configuration of a running profile stays in force; the newer one is told. */
  refuse(loaded: Extract<LoadedProfile, { kind: 'bad' }>): void {
    this.#refused.set(loaded.name, renderProblems(loaded.problems));
  }

  accept(name: string): void {
    this.#refused.delete(name);
  }

  /** Files that were put back to what is in force, or are gone, are refused no longer. */
  acceptUnchanged(inForce: LoadedConfig['profiles'], onDisk: LoadedConfig['profiles']): void {
    for (const name of this.#refused.keys()) {
      const fresh = onDisk.get(name);
      const isAsBefore = fresh?.fingerprint === inForce.get(name)?.fingerprint;
      if (fresh === undefined || isAsBefore) this.accept(name);
    }
  }

  refusalOf(name: string): string | undefined {
    return this.#refused.get(name);
  }

  get allRefusals(): string | undefined {
    const texts = [...this.#refused.values()];
    return texts.length === 0 ? undefined : texts.join('\n');
  }
}
