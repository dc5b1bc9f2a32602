import type { ErrorBody } from '../../core/control.js';
import { ERRORS, type ErrorCode, GatewardenError } from '../../core/errors.js';

/** An error that the other side answered: its words, our exit code for its code. */
export class AnsweredError extends GatewardenError {
  readonly #next: string;

  constructor({ code, message, next }: ErrorBody['error']) {
    // a newer supervisor may know codes that we do not
    super(isErrorCode(code) ? code : 'io-failed');
    this.message = message;
    this.#next = next;
  }

  override get next(): string {
    return this.#next;
  }
}

/** The error body of an answer; undefined when it is not one. */
export function parseErrorBody(body: unknown): ErrorBody['error'] | undefined {
  const error = fieldOf(body, 'error');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  const next = fieldOf(error, 'next');
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, next: typeof next === 'string' ? next : '' };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
