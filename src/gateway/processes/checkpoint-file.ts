import type { ProcessIdentity } from '../../core/process-identity.js';
import { redactCommand } from './redact-command.js';
import type { ProcessFacts } from './tool-process.js';

/** One process in processes.json: enough to find and to end it, never its output. */
export interface CheckpointEntry {
  readonly id: string;
  /** redacted */
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly identity: ProcessIdentity;
  readonly scopeName: string;
  readonly scopeTag: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly platform: string;
  readonly chatId: string | undefined;
  readonly persistOnRelease: boolean;
  readonly notifyOnComplete: boolean;
  /** the gateway that wrote this entry; only that one changes it */
  readonly writer: ProcessIdentity;
}

export function toEntry(
  facts: ProcessFacts,
  writer: ProcessIdentity,
  secrets: readonly string[],
): CheckpointEntry {
  const { owner: _, origin, isBackground: __, ...own } = facts;
  return { ...own, command: redactCommand(facts.command, secrets), ...origin, writer };
}

export function toFacts(entry: CheckpointEntry): ProcessFacts {
  const { sessionKey, sessionId, platform, chatId, writer: _, ...own } = entry;
  // nobody owns it: no turn of ours started it, so no turn of ours may end it
  const origin = { sessionKey, sessionId, platform, chatId };
  return { ...own, owner: undefined, origin, isBackground: true };
}

/** The entries of a file; those that are not whole, or name no writer, are left out. */
export function parseCheckpoint(value: unknown): CheckpointEntry[] {
  const processes = isFields(value) ? value.processes : undefined;
  return Array.isArray(processes) ? processes.flatMap((one) => parseEntry(one) ?? []) : [];
}

export function renderCheckpoint(entries: readonly CheckpointEntry[]): string {
  return `${JSON.stringify({ processes: entries }, undefined, 2)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

const TEXTS = [
  'id',
  'command',
  'cwd',
  'scopeName',
  'scopeTag',
  'sessionKey',
  'sessionId',
  'platform',
] as const;

function parseEntry(value: unknown): CheckpointEntry | undefined {
  if (!isFields(value) || !TEXTS.every((name) => typeof value[name] === 'string')) return undefined;
  const { identity, writer, chatId, startedAt } = value;
  if (!isIdentity(identity) || !isIdentity(writer)) return undefined;
  if (typeof startedAt !== 'number') return undefined;
  if (chatId !== undefined && typeof chatId !== 'string') return undefined;
  const { persistOnRelease, notifyOnComplete } = value;
  if (typeof persistOnRelease !== 'boolean' || typeof notifyOnComplete !== 'boolean') {
    return undefined;
  }
  // the only cast of this file: every field has just been checked
  return value as unknown as CheckpointEntry;
}

/** Without a start time a pid names nobody. */
function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    isFields(value) &&
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 1 &&
    Number.isSafeInteger(value.startTicks) &&
    (value.bootId === undefined || typeof value.bootId === 'string')
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
