import { statSync } from 'node:fs';
import { GatewardenError } from '../../core/errors.js';

/** What decides how a supervisor is started. */
export interface StartFacts {
  /** those of this home that a manager has; null: the supervisor's */
  readonly units: readonly { readonly profile: string | null }[];
  /** the account that the home belongs to, where we are root and it is not ours */
  readonly strangerUid: number | undefined;
}

/** A second owner beside a unit would fight it, and root in somebody's home leaves files of root. */
export function judgeStart({ strangerUid, units }: StartFacts): string {
  const gateways = units.filter(({ profile }) => profile !== null);
  if (units.length > 0) {
    const all = gateways.length === units.length && gateways.length > 1 ? ' --all' : '';
    return `start it with: gatewarden start${all}`;
  }
  if (strangerUid === undefined) return 'start one with: gatewarden up';
  return `start one as the account of the home: sudo -u '#${strangerUid}' gatewarden up`;
}

export function strangerUidOf(home: string): number | undefined {
  const uid = statSync(home, { throwIfNoEntry: false })?.uid;
  return process.getuid?.() !== 0 || uid === 0 ? undefined : uid;
}

/** Nobody answers: with what starts a supervisor of this very home. */
export class NoSupervisorError extends GatewardenError {
  readonly #next: string;

  constructor(home: string, units: StartFacts['units']) {
    super('no-supervisor', { home });
    this.#next = judgeStart({ units, strangerUid: strangerUidOf(home) });
  }

  override get next(): string {
    return this.#next;
  }
}
