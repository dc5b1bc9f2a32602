import type { ModelFault } from './faults.js';

export type RetryVerdict =
  | { readonly kind: 'again'; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'final' };

export interface RetryFacts {
  readonly fault: ModelFault;
  /** tries that have failed, this one included */
  readonly tries: number;
  readonly maxRetries: number;
  /** text of the answer was shown already: a second answer would follow a torn first one */
  readonly hasShown: boolean;
  /** epoch milliseconds, for a Retry-After that is a date */
  readonly now: number;
  /** 0 to 1 */
  readonly random: number;
}

/** Statuses that another try can cure, with the reason that is logged. */
const RETRYABLE: ReadonlyMap<number, string> = new Map([
  [408, 'the model timed out'],
  [409, 'the model was locked'],
  [425, 'the model was not ready'],
  [429, 'the rate limit was met'],
  [500, 'the model failed inside'],
  [502, 'the gateway of the model failed'],
  [503, 'the model is overloaded'],
  [504, 'the gateway of the model timed out'],
  [529, 'the model is overloaded'],
]);

/** Said with a status that looks curable, but only the account's owner can cure it. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
]);

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;
/** a model that asks for more patience than a person has is not obeyed */
const MAX_RETRY_AFTER_MS = 60_000;

/** Whether a failed try is worth another, and when. Pure. */
export function judgeRetry(facts: RetryFacts): RetryVerdict {
  const { fault, tries, maxRetries, hasShown } = facts;
  if (hasShown || tries > maxRetries) return { kind: 'final' };
  const reason = reasonToRetry(fault);
  if (reason === undefined) return { kind: 'final' };
  const asked = fault.kind === 'status' ? parseRetryAfter(fault.retryAfter, facts.now) : undefined;
  return { kind: 'again', reason, afterMs: asked ?? backOffMs(tries, facts.random) };
}

/** Milliseconds that a Retry-After header asks for: seconds or an HTTP date, capped. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(0, waitMs), MAX_RETRY_AFTER_MS);
}

function reasonToRetry(fault: ModelFault): string | undefined {
  switch (fault.kind) {
    case 'status':
      return FINAL_CODES.has(fault.code ?? '') ? undefined : RETRYABLE.get(fault.status);
    case 'connection':
      return `the connection failed: ${fault.message}`;
    case 'silence':
    case 'broken-stream':
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** Doubles per try; half of it is chance, so that many clients do not come back in step. */
function backOffMs(tries: number, random: number): number {
  const fullMs = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
  return Math.round(fullMs / 2 + (fullMs / 2) * random);
}
