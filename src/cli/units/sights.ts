import type { Environment } from '../../config/paths.js';
import { STATUS_EXIT } from '../../core/exit-codes.js';
import { managerOf } from './choose-manager.js';
import { findOwnUnits, type OwnUnit } from './own-units.js';

/** What a service manager says about a unit of ours. */
export interface UnitSight {
  readonly name: string;
  readonly manager: string;
  readonly scope: string;
  /** undefined: the unit of the supervisor */
  readonly profile: string | null;
  readonly pid: number | null;
  readonly state: 'ready' | 'starting' | 'failed' | 'down' | 'unknown';
  readonly words: string;
  readonly look: string;
  /** of its last end, where nothing runs and it was an exit */
  readonly exitCode: number | null;
}

/** Reads only. */
export async function seeUnits(home: string, env: Environment): Promise<readonly UnitSight[]> {
  const units = await findOwnUnits(home, env);
  return Promise.all(units.map((unit) => see(unit, env)));
}

async function see(unit: OwnUnit, env: Environment): Promise<UnitSight> {
  const { name, subject, target } = unit;
  const manager = managerOf(target, env);
  const about = {
    name,
    manager: target.manager,
    scope: target.scope,
    profile: subject.kind === 'gateway' ? subject.profile : null,
  };
  const found = await manager.preflight({ name, to: 'look' });
  if (found.kind !== 'ready') {
    const words = 'because' in found ? found.because : 'cannot be asked';
    return { ...about, pid: null, state: 'unknown', words, look: unit.path, exitCode: null };
  }
  const state = await manager.state(name);
  const kind = state.isReady
    ? 'ready'
    : state.isFailed
      ? 'failed'
      : state.isResting
        ? 'down'
        : 'starting';
  const { exitCode = null, look, pid = null, words } = state;
  return { ...about, pid, state: kind, words, look, exitCode };
}

export function describeSight({ look, manager, name, scope, state, words }: UnitSight): string {
  const where = manager === 'systemd' ? `${manager}, ${scope}` : manager;
  const line = `${name} (${where}): ${words}`;
  return state === 'ready' ? line : `${line}\n  look: ${look}`;
}

/** A supervisor that answers although its manager runs nothing: nobody would start it again. */
export function describeStray(unit: UnitSight, supervisorPid: number): string | undefined {
  const { manager, name, profile, state, words } = unit;
  if (profile !== null || (state !== 'down' && state !== 'failed')) return undefined;
  return `notice: pid ${supervisorPid} runs outside of ${name} (${manager}), which is ${words}: nobody would start it again\n  end it with: kill ${supervisorPid}; then: gatewarden start`;
}

/** Of gateways with units of their own; undefined where a supervisor is meant to answer. */
export function judgeSights(sights: readonly UnitSight[]): number | undefined {
  const gateways = sights.filter(({ profile }) => profile !== null);
  if (gateways.length === 0 || gateways.length < sights.length) return undefined;
  if (gateways.every(({ state }) => state === 'ready')) return STATUS_EXIT.ready;
  return gateways.some(({ state }) => state !== 'ready' && state !== 'starting')
    ? STATUS_EXIT.down
    : STATUS_EXIT.degraded;
}
