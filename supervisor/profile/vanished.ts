import { causeOf, type Death, NO_EVIDENCE } from '../../src/core/death.js';
import { formatDuration } from '../../src/core/durations.js';
import { isSameProcess } from '../../src/core/process-identity.js';
import type { LedgerRecord, OpenGeneration } from '../../src/store/index.js';
import type { EvidenceNote } from '../../src/watchdog/newest-evidence.js';
import { witnessedBy } from './death-record.js';

/** What is known of a run that an earlier supervisor spawned and never saw to end. */
export interface VanishedFacts {
  readonly run: OpenGeneration;
  /** epoch milliseconds; undefined: it never was */
  readonly readyAt: number | undefined;
  /** the newest record of a life of its profile, which may be another's */
  readonly life: LedgerRecord | undefined;
  /** of the supervisor before us */
  readonly supervisor: LedgerRecord | undefined;
  /** newest of its profile */
  readonly note: EvidenceNote | undefined;
  readonly bootId: string | undefined;
  readonly nowMs: number;
}

/** The death of such a run, as far as what it left behind tells it. */
export function recordVanished(facts: VanishedFacts): Death {
  const { run, readyAt } = facts;
  const outcome = { kind: 'unseen' } as const;
  const own = { ...facts, life: lifeOf(facts), note: noteOf(facts) };
  const witnessed = own.note && witnessedBy(own.note, readyAt !== undefined);
  const at = lastSeenAt(own);
  return {
    profile: run.profile,
    generation: run.generation,
    pid: run.identity.pid,
    outcome,
    cause: causeOf(outcome, { ...NO_EVIDENCE, witnessed }),
    uptimeMs: at - run.spawnedAt,
    readyMs: readyAt === undefined ? undefined : Math.max(0, at - readyAt),
    at,
    detail: describe(own),
    remedy: undefined,
    evidence: own.note?.path,
  };
}

function lifeOf({ life, run }: VanishedFacts): LedgerRecord | undefined {
  return life !== undefined && isSameProcess(life.identity, run.identity) ? life : undefined;
}

/** Only what it was ended for: where its loop was an hour before says nothing of its end. */
function noteOf({ note, run }: VanishedFacts): EvidenceNote | undefined {
  const isOwn = note?.pid === run.identity.pid && note.atMs >= run.spawnedAt;
  return isOwn && note.fatal ? note : undefined;
}

/** Later it was not seen to live; a clock that was set back makes no negative life. */
function lastSeenAt({ run, life, supervisor, note, nowMs }: VanishedFacts): number {
  const signs = [life?.heartbeatAt, supervisor?.heartbeatAt, note?.atMs];
  const seen = signs.filter((at) => at !== undefined && at <= nowMs) as number[];
  return Math.max(run.spawnedAt, ...seen);
}

function describe(facts: VanishedFacts): string {
  const { bootId, life, note, run, supervisor } = facts;
  if (note !== undefined) {
    const span = formatDuration(note.lateMs);
    return note.kind === 'stall'
      ? `its event loop stood still for ${span}: ${note.where}`
      : `it did not ${note.kind === 'stop-timeout' ? 'end' : 'start'} in time: ${note.where}`;
  }
  const whose = supervisor === undefined ? '' : ` (pid ${supervisor.identity.pid})`;
  if (life?.phase === 'exited') {
    const how = life.isClean === true ? 'it finished what it had' : 'it ended by itself';
    return `its supervisor${whose} vanished, and ${how}`;
  }
  const isDraining = [life?.phase, supervisor?.phase].includes('draining');
  const isNewBoot = run.identity.bootId !== undefined && run.identity.bootId !== bootId;
  const parts = [
    `it vanished with its supervisor${whose}${isDraining ? ', while draining' : ''}`,
    ...(isNewBoot ? ['the host was started anew since'] : []),
    ...(life?.memory?.isCritical === true ? ['memory was nearly used up'] : []),
  ];
  return parts.join('; ');
}
