import { classifyExitCode } from './exit-codes.js';

/**
 * How a process ended. Exactly one of these: nothing ever maps a signal to a code
 * or an absent code to 0 (field cases A17, rule 1).
 */
export type ExitOutcome =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  /** it went down with its supervisor: nobody was there to be told */
  | { readonly kind: 'unseen' };

/** Why a generation ended. Each has a persisted counter of its own (design §5). */
export const CAUSES = [
  'asked',
  'planned',
  'config',
  'usage',
  'failure',
  'bug',
  'stall',
  'oom',
  'start-timeout',
  'lost',
] as const;
export type Cause = (typeof CAUSES)[number];

/** A death is a record, kept in the history and shown by `why`. */
export interface Death {
  readonly profile: string;
  readonly generation: number;
  /** undefined: it never became a process (the spawn itself failed) */
  readonly pid: number | undefined;
  readonly outcome: ExitOutcome;
  readonly cause: Cause;
  /** from spawn to exit, back-off excluded (field case A18) */
  readonly uptimeMs: number;
  /** how long it had been ready; undefined: never was */
  readonly readyMs: number | undefined;
  /** epoch milliseconds */
  readonly at: number;
  /** one sentence: the last stderr line, or what we know better */
  readonly detail: string | undefined;
  /** what would cure it, where the dying process said so */
  readonly remedy: string | undefined;
  /** path of an evidence file */
  readonly evidence: string | undefined;
  /** the profile in whose process it ran and whose end this was; undefined: it was its own */
  readonly servedBy?: string | undefined;
}

/** What the supervisor knows about an exit beyond the status itself. */
export interface ExitEvidence {
  /** the supervisor or an operator asked this generation to stop */
  readonly askedToStop: boolean;
  /** the supervisor asked for a planned restart */
  readonly askedToRestart: boolean;
  /** the supervisor killed it for this reason */
  readonly killedFor: Extract<Cause, 'stall' | 'oom' | 'start-timeout' | 'lost'> | undefined;
  /** a watchdog or the kernel's OOM counter says so */
  readonly witnessed: Extract<Cause, 'stall' | 'start-timeout' | 'oom'> | undefined;
  /** the spawn failed with an errno that no retry cures (ENOENT, EACCES, …) */
  readonly spawnRefused: boolean;
}

export const NO_EVIDENCE: ExitEvidence = Object.freeze({
  askedToStop: false,
  askedToRestart: false,
  killedFor: undefined,
  witnessed: undefined,
  spawnRefused: false,
});

/**
 * Names the cause of an exit. A refusal (78, 64) stays a refusal also while a stop was
 * asked; evidence of a kill beats the bare signal; a signal that nobody explains is `lost`.
 */
export function causeOf(outcome: ExitOutcome, evidence: ExitEvidence): Cause {
  if (evidence.killedFor !== undefined) return evidence.killedFor;
  if (evidence.spawnRefused) return 'config';
  if (outcome.kind === 'unseen') {
    if (evidence.askedToStop) return 'asked';
    return evidence.askedToRestart ? 'planned' : (evidence.witnessed ?? 'lost');
  }
  if (outcome.kind === 'signal') {
    // a stop that hung and was cut short by its own guard is still the stop that was asked for
    const hungInStop = evidence.askedToStop || evidence.askedToRestart;
    if (evidence.witnessed === 'oom') return 'oom';
    if (evidence.witnessed !== undefined && !hungInStop) return evidence.witnessed;
    if (evidence.askedToStop) return 'asked';
    return evidence.askedToRestart ? 'planned' : 'lost';
  }
  const exit = classifyExitCode(outcome.code);
  switch (exit) {
    case 'config':
      return 'config';
    case 'usage':
      return 'usage';
    case 'planned':
      return evidence.askedToStop ? 'asked' : 'planned';
    case 'done':
      return evidence.askedToRestart && !evidence.askedToStop ? 'planned' : 'asked';
    case 'bug':
      return evidence.askedToStop ? 'asked' : 'bug';
    case 'failure':
      if (evidence.askedToStop) return 'asked';
      return evidence.askedToRestart ? 'planned' : 'failure';
    default:
      return exit satisfies never;
  }
}

/** `code 78` or `SIGKILL`: the outcome in an operator's words. */
export function describeOutcome(outcome: ExitOutcome): string {
  if (outcome.kind === 'unseen') return 'an end that nobody saw';
  return outcome.kind === 'code' ? `code ${outcome.code}` : outcome.signal;
}
