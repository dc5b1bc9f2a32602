import type { Subject } from '../../../units/service.js';
import { messageOf } from '../../core/errors.js';
import { managerOf } from '../../manager/index.js';
import type { Context } from '../verb.js';

/**
 * Has the unit that started us looked at, after a start that must not wait for it. What goes
 * wrong there ends nothing.
 */
export async function repairOwnUnit(subject: Subject, context: Context): Promise<void> {
  if (managerOf({ env: context.env, pid: process.pid, isContainer: false }) !== 'systemd') return;
  try {
    const { repairAtBoot } = await import('./boot-repair.js');
    await repairAtBoot(subject, context);
  } catch (thrown) {
    context.terminal.error(`notice: its unit could not be looked at: ${messageOf(thrown)}`);
  }
}
