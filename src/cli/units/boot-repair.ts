import { isSameSubject, type Subject } from '../../../units/service.js';
import type { Context } from '../verb.js';
import { findOwnUnits } from './own-units.js';
import { describeRepair, repairUnit } from './repair.js';

/**
 * Looks whether the unit that started us is still the one that would be installed. An upgrade
 * followed by a restart passes through no install, so this is the only place that sees it.
 */
export async function repairAtBoot(subject: Subject, { home, env, terminal }: Context) {
  const units = await findOwnUnits(home, env);
  for (const unit of units) {
    if (!isSameSubject(unit.subject, subject)) continue;
    const told = describeRepair(unit, await repairUnit(unit, env));
    if (told !== undefined) terminal.error(`notice: ${told}`);
  }
}
