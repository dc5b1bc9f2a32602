import { createLaunchdManager } from '../../../units/launchd/ask-launchd.js';
import { createS6Manager } from '../../../units/s6/ask-s6.js';
import { createSystemdManager } from '../../../units/systemd/ask-systemd.js';
import type { Preflight } from '../../../units/systemd/judge-preflight.js';
import type { UnitManager } from '../../../units/unit-manager.js';
import type { Environment } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { Context } from '../verb.js';
import type { Target } from './target.js';

export function managerOf(target: Target, env: Environment): UnitManager {
  switch (target.manager) {
    case 'systemd':
      return createSystemdManager(target.scope, target.owner, env);
    case 's6':
      return createS6Manager(target.folder);
    case 'launchd':
      return createLaunchdManager(target.scope === 'user' ? `gui/${target.owner.uid}` : 'system');
    default:
      return target.manager satisfies never;
  }
}

/**
 * Whether the manager can be asked; "there is none here" is a result of its own, not a failure
 * that aborts whoever installs (field case F15).
 * @returns the exit code to leave with, or undefined to go on
 * @throws GatewardenError manager-missing
 */
export function leaveUnlessReady(
  found: Preflight,
  target: Target,
  { terminal }: Context,
): number | undefined {
  switch (found.kind) {
    case 'ready':
      return undefined;
    case 'not-applicable': {
      terminal.out(`not applicable: ${found.because}; ${found.instead}`);
      return CLI_EXIT.done;
    }
    case 'missing':
      throw new GatewardenError('manager-missing', {
        manager: `${target.manager} (${target.scope} scope)`,
        reason: found.because,
        hint: found.remedy,
      });
    case 'try-linger':
      throw new GatewardenError('invariant-broken', { what: 'a preflight ended undecided' });
    default:
      return found satisfies never;
  }
}
