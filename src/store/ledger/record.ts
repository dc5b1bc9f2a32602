import { formatDuration } from '../../core/durations.js';
import type { ProcessIdentity } from '../../core/process-identity.js';
import type { Liveness } from '../process-table.js';

export type LedgerPhase = 'running' | 'draining' | 'exited';

export interface MemorySample {
  readonly rssBytes: number;
  /** what the host, or our own limit, had left; undefined where nobody tells */
  readonly availableBytes: number | undefined;
  readonly isCritical: boolean;
}

/** What a gateway or a supervisor leaves behind about its own life (spec/supervision.md 5.8). */
export interface LedgerRecord {
  readonly phase: LedgerPhase;
  readonly identity: ProcessIdentity;
  /** epoch milliseconds */
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly memory: MemorySample | undefined;
  /** only when it exited: everything was finished or saved */
  readonly isClean: boolean | undefined;
}

export type EarlierLife =
  | { readonly kind: 'none' }
  | { readonly kind: 'ended'; readonly isClean: boolean }
  /** it still lives: somebody takes over from it, and it writes its end itself */
  | { readonly kind: 'alive'; readonly pid: number }
  | {
      readonly kind: 'unclean';
      readonly detail: string;
      readonly suspectsMemory: boolean;
      readonly pid: number;
      /** epoch milliseconds */
      readonly startedAt: number;
    };

/** Less than this left of the memory that we may use is critical. */
const CRITICAL_SHARE = 0.05;

/** What became of whoever wrote the record. An owner that may be alive is not declared dead. */
export function judgeEarlierLife(
  record: LedgerRecord | undefined,
  livenessOf: (identity: ProcessIdentity) => Liveness,
): EarlierLife {
  if (record === undefined) return { kind: 'none' };
  if (record.phase === 'exited') return { kind: 'ended', isClean: record.isClean === true };
  const { identity, memory } = record;
  if (livenessOf(identity) !== 'dead') return { kind: 'alive', pid: identity.pid };
  const suspectsMemory = memory?.isCritical === true;
  const detail = describeEnd(record, suspectsMemory);
  const { startedAt } = record;
  return { kind: 'unclean', detail, suspectsMemory, pid: identity.pid, startedAt };
}

export function isMemoryCritical(
  availableBytes: number | undefined,
  limitBytes: number | undefined,
): boolean {
  if (availableBytes === undefined || limitBytes === undefined || limitBytes <= 0) return false;
  return availableBytes < limitBytes * CRITICAL_SHARE;
}

/** `pid 12 vanished while running; last sign of life 2026-…, after 3h 12m; 512 MiB of memory` */
function describeEnd(record: LedgerRecord, suspectsMemory: boolean): string {
  const { identity, phase, heartbeatAt, startedAt, memory } = record;
  const lived = formatDuration(heartbeatAt - startedAt);
  const parts = [
    `pid ${identity.pid} vanished while ${phase}`,
    `last sign of life ${new Date(heartbeatAt).toISOString()}, ${lived} after its start`,
  ];
  if (memory !== undefined) parts.push(`it had ${toMebibytes(memory.rssBytes)} MiB of memory`);
  if (suspectsMemory) parts.push('memory was nearly used up: it may have been killed for that');
  return parts.join('; ');
}

/** undefined: not a record of ours. */
export function parseLedgerRecord(raw: unknown): LedgerRecord | undefined {
  if (!isRecord(raw) || !isRecord(raw.identity)) return undefined;
  const { phase, startedAt, heartbeatAt, memory, isClean } = raw;
  const { pid, startTicks, bootId } = raw.identity;
  if (phase !== 'running' && phase !== 'draining' && phase !== 'exited') return undefined;
  if (!isTime(startedAt) || !isTime(heartbeatAt)) return undefined;
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined;
  return {
    phase,
    identity: {
      pid: Number(pid),
      startTicks: typeof startTicks === 'number' ? startTicks : undefined,
      bootId: typeof bootId === 'string' ? bootId : undefined,
    },
    startedAt,
    heartbeatAt,
    memory: parseMemory(memory),
    isClean: typeof isClean === 'boolean' ? isClean : undefined,
  };
}

function parseMemory(raw: unknown): MemorySample | undefined {
  if (!isRecord(raw) || typeof raw.rssBytes !== 'number') return undefined;
  return {
    rssBytes: raw.rssBytes,
    availableBytes: typeof raw.availableBytes === 'number' ? raw.availableBytes : undefined,
    isCritical: raw.isCritical === true,
  };
}

const MAX_TIME_MS = 8.64e15;

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
