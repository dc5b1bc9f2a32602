import type { Containment, Scope } from '../../containment/index.js';
import { type CheckpointEntry, toFacts } from './checkpoint-file.js';
import { DetachedProcess } from './detached-process.js';
import { HeldScope } from './held-scope.js';
import type { ProcessLimits } from './limits.js';
import type { Recovery } from './plan-recovery.js';
import type { ProcessRegistry } from './registry.js';

export interface RecoverParts {
  readonly containment: () => Containment;
  readonly limits: ProcessLimits;
  readonly registry: ProcessRegistry;
  readonly onGone: (entry: CheckpointEntry) => void;
}

/** Does what was planned. @returns the entries that stay in the file although they are not ours */
export async function recover(
  plan: readonly Recovery[],
  parts: RecoverParts,
): Promise<CheckpointEntry[]> {
  const left = await Promise.all(plan.map((recovery) => recoverOne(recovery, parts)));
  return left.flatMap((entry) => entry ?? []);
}

async function recoverOne(
  { kind, entry }: Recovery,
  parts: RecoverParts,
): Promise<CheckpointEntry | undefined> {
  switch (kind) {
    case 'leave':
      return entry;
    case 'adopt':
      parts.registry.adopt(adopt(entry, parts));
      return undefined;
    case 'end-scope':
      if (!(await endScope(entry, parts))) return entry;
      parts.onGone(entry);
      return undefined;
    default:
      return kind satisfies never;
  }
}

function adopt(entry: CheckpointEntry, parts: RecoverParts): DetachedProcess {
  const scope = openAgain(entry, parts);
  scope.adopt({ pid: entry.identity.pid, ownSession: true });
  return new DetachedProcess({
    facts: toFacts(entry),
    scope: new HeldScope(scope),
    limits: parts.limits,
  });
}

/** @returns whether nobody is left in it */
async function endScope(entry: CheckpointEntry, parts: RecoverParts): Promise<boolean> {
  const { termGraceMs: graceMs, killSettleMs: giveUpMs, lookEveryMs } = parts.limits;
  const scope = new HeldScope(openAgain(entry, parts));
  await scope.check();
  await scope.end({ graceMs, giveUpMs, lookEveryMs });
  return !scope.isHeld;
}

/** The scope under which its processes were started: same name, same tag. */
function openAgain({ scopeName, scopeTag }: CheckpointEntry, parts: RecoverParts): Scope {
  return parts.containment().openScope(scopeName, { tag: scopeTag, reopen: true });
}
