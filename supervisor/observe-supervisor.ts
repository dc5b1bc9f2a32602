import type { OwnerFacts } from '../src/core/guard.js';
import type { Owner } from '../src/core/owner.js';
import { askSupervisor } from '../src/ownership/ask-supervisor.js';
import { livenessOfOwner, readJsonFile } from '../src/store/index.js';

/** One that owns the home for longer without a socket to ask does not start, it hangs. */
const START_MS = 60_000;

/** What state/supervisor.json says of its writer; it may be stale. */
export function hintedSupervisor(hintPath: string, home: string): Owner | undefined {
  const hint = readJsonFile(hintPath);
  if (typeof hint !== 'object' || hint === null) return undefined;
  const { pid, startTicks, bootId, startedAt, home: theirs } = hint as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof startTicks !== 'number') return undefined;
  return {
    identity: { pid, startTicks, bootId: typeof bootId === 'string' ? bootId : undefined },
    home: typeof theirs === 'string' ? theirs : home,
    startedAt: Date.parse(String(startedAt)),
  };
}

/** The owner of a home's lock, and its health by asking. */
export async function observeSupervisor(
  owner: Owner | undefined,
  hintPath: string,
): Promise<OwnerFacts> {
  if (owner === undefined) return { owner, liveness: 'unknown', answer: 'starting' };
  const liveness = livenessOfOwner(owner);
  const socket = socketOf(hintPath, owner.identity.pid);
  if (socket !== undefined) return { owner, liveness, answer: await askSupervisor(socket) };
  const isYoung = Date.now() - owner.startedAt < START_MS;
  return { owner, liveness, answer: isYoung ? 'starting' : 'silent' };
}

function socketOf(hintPath: string, pid: number): string | undefined {
  const hint = readJsonFile(hintPath) as { pid?: unknown; socket?: unknown } | undefined;
  return hint?.pid === pid && typeof hint.socket === 'string' ? hint.socket : undefined;
}
