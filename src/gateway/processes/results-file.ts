import { maskSecrets } from '../../core/secret.js';
import type { CheckpointEntry } from './checkpoint-file.js';
import type { ProcessLimits } from './limits.js';
import { redactCommand } from './redact-command.js';
import { endedAt, type ToolProcess } from './tool-process.js';

/** How a process ended; `gone`: nobody saw it. */
export type ResultState =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'gone' };

/** What stays of a process: written to process-results.json, without the profile's secrets. */
export interface ProcessResult {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  readonly sessionKey: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly state: ResultState;
  /** the end of its output */
  readonly outputTail: string;
}

export interface ResultTerms {
  readonly secrets: readonly string[];
  readonly limits: ProcessLimits;
}

/** undefined: it is not over. */
export function toResult(process: ToolProcess, terms: ResultTerms): ProcessResult | undefined {
  const { secrets, limits } = terms;
  const state = process.look();
  const at = endedAt(state);
  if (at === undefined || state.kind === 'running' || state.kind === 'stuck') return undefined;
  const { id, command, cwd, startedAt, identity, origin } = process.facts;
  // masked before it is cut: half a secret would not be found
  const output = maskSecrets(process.output?.tail(limits.outputChars) ?? '', secrets);
  const { at: _, ...how } = state;
  return {
    id,
    command: redactCommand(command, secrets),
    cwd,
    pid: identity.pid,
    sessionKey: origin.sessionKey,
    startedAt,
    endedAt: at,
    state: how,
    outputTail: output.slice(-limits.noticeTailChars),
  };
}

/** Of one that was gone before anybody looked. */
export function toGoneResult(entry: CheckpointEntry, now: number): ProcessResult {
  const { id, command, cwd, identity, sessionKey, startedAt } = entry;
  const state = { kind: 'gone' } as const;
  const { pid } = identity;
  return { id, command, cwd, pid, sessionKey, startedAt, endedAt: now, state, outputTail: '' };
}

export interface KeepFacts {
  readonly results: readonly ProcessResult[];
  readonly now: number;
  readonly keptMs: number;
  readonly max: number;
}

/** The newest, oldest first, as many as may stay and none that is too old. Pure. */
export function planKeep({ results, now, keptMs, max }: KeepFacts): ProcessResult[] {
  return results
    .filter(({ endedAt: at }) => now - at < keptMs)
    .sort((left, right) => left.endedAt - right.endedAt)
    .slice(-max);
}

export function renderResults(results: readonly ProcessResult[]): string {
  return `${JSON.stringify({ results }, undefined, 2)}\n`;
}

/** The results of a file; those that are not whole are left out. */
export function parseResults(value: unknown): ProcessResult[] {
  const results = isFields(value) ? value.results : undefined;
  return Array.isArray(results) ? results.filter(isResult) : [];
}

type Fields = Readonly<Record<string, unknown>>;

const TEXTS = ['id', 'command', 'cwd', 'sessionKey', 'outputTail'] as const;
const NUMBERS = ['pid', 'startedAt', 'endedAt'] as const;

function isResult(value: unknown): value is ProcessResult {
  return (
    isFields(value) &&
    TEXTS.every((name) => typeof value[name] === 'string') &&
    NUMBERS.every((name) => Number.isSafeInteger(value[name])) &&
    isState(value.state)
  );
}

function isState(value: unknown): value is ResultState {
  if (!isFields(value)) return false;
  const { kind, code, signal, by } = value;
  if (kind === 'gone') return true;
  if (kind === 'killed') return typeof by === 'string';
  return (
    kind === 'exited' &&
    (code === null || Number.isSafeInteger(code)) &&
    (signal === null || typeof signal === 'string')
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
