import { readFileSync } from 'node:fs';
import { findOwnUnit, killMembers, membersOfUnit } from '../../containment/index.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { judgeReap } from '../reap/judge-reap.js';
import { plural } from '../render/units.js';
import type { Context, Invocation } from '../verb.js';

/** A child may be forked while its parent is killed: looked again until nobody is found. */
const MAX_ROUNDS = 20;

/**
 * Ends what a unit left in its cgroup.
 * @throws GatewardenError reap-refused
 */
export async function run(_invocation: Invocation, { terminal }: Context): Promise<number> {
  const unit = findOwnUnit();
  const others = unit === undefined ? [] : membersOfUnit(unit);
  const verdict = judgeReap({
    parentName: readText(`/proc/${process.ppid}/comm`)?.trimEnd(),
    unit,
    others: others.map(({ pid }) => ({ pid, argv: argvOf(pid) })),
  });
  if (verdict.kind === 'refuse') {
    throw new GatewardenError('reap-refused', { reason: verdict.because });
  }
  if (unit === undefined) {
    terminal.notice('there is no cgroup v2 here: nothing was ended');
    return CLI_EXIT.done;
  }
  const ended = new Set<number>();
  let left = others;
  for (let round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
    for (const pid of killMembers(left)) ended.add(pid);
    left = membersOfUnit(unit);
  }
  terminal.notice(`ended ${plural(ended.size, 'process', 'processes')} in ${unit.directory}`);
  return CLI_EXIT.done;
}

function argvOf(pid: number): readonly string[] | undefined {
  const text = readText(`/proc/${pid}/cmdline`);
  return text === undefined || text === '' ? undefined : text.split('\0');
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // gone, or not ours to read
  }
}
