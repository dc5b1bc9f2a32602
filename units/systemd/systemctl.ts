import type { Environment } from '../../src/config/paths.js';
import { GatewardenError } from '../../src/core/errors.js';
import { type Ran, runProgram } from '../run-program.js';
import type { SystemdScope } from './policy.js';
import { parseUnitState, SHOWN_PROPERTIES, type UnitState } from './unit-state.js';

/** What needs no stop of a service is over in a moment, on a busy host in some. */
const QUICK_MS = 30_000;

/** One of systemd's managers, asked by its own tool. */
export class Systemctl {
  readonly scope: SystemdScope;
  readonly #env: Environment;

  constructor(scope: SystemdScope, env: Environment) {
    this.scope = scope;
    this.#env = env;
  }

  async show(unit: string): Promise<UnitState> {
    const properties = SHOWN_PROPERTIES.join(',');
    const { stdout } = await this.#run(['show', unit, `--property=${properties}`], QUICK_MS);
    return parseUnitState(stdout);
  }

  reload(): Promise<void> {
    return this.do(['daemon-reload']);
  }

  /** @throws GatewardenError manager-failed */
  async do(args: readonly string[], timeoutMs: number = QUICK_MS): Promise<void> {
    const ran = await this.#run(args, timeoutMs);
    if (ran.code === 0) return;
    const command = this.describe(args);
    throw new GatewardenError('manager-failed', {
      what: command,
      reason: ran.stderr.trim().split('\n')[0] || `it ended with ${ran.code ?? 'no code in time'}`,
      hint: `try it by hand: ${command}`,
    });
  }

  /** As a person would type it. */
  describe(args: readonly string[]): string {
    return ['systemctl', ...this.#scopeFlag(), ...args].join(' ');
  }

  #run(args: readonly string[], timeoutMs: number): Promise<Ran> {
    return runProgram(
      ['systemctl', ...this.#scopeFlag(), '--no-pager', '--no-ask-password', ...args],
      {
        env: this.#env,
        timeoutMs,
      },
    );
  }

  #scopeFlag(): readonly string[] {
    return this.scope === 'user' ? ['--user'] : [];
  }
}
