import { inspect } from 'node:util';

const SHOWN = '[secret]';

/** A value that must never be printed: templates, JSON and `inspect` all show `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The only way to the text; call it where it leaves for its consumer, nowhere earlier. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}

/** Shortest text worth masking: anything shorter would blank out ordinary words. */
const MIN_MASKED_LENGTH = 6;

/**
 * Masks a text that comes in pieces. A tail that may be the beginning of a secret waits for what
 * follows, so that no piece shows half of one.
 */
export class SecretFilter {
  readonly #secrets: readonly string[];
  #waiting = '';

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets].filter(({ length }) => length >= MIN_MASKED_LENGTH);
  }

  /** @returns what may be shown by now */
  take(piece: string): string {
    const text = maskSecrets(this.#waiting + piece, this.#secrets);
    const waits = Math.max(0, ...this.#secrets.map((secret) => beginningAtEnd(text, secret)));
    this.#waiting = text.slice(text.length - waits);
    return text.slice(0, text.length - waits);
  }

  /** @returns what waited for more */
  end(): string {
    const rest = this.#waiting;
    this.#waiting = '';
    return rest;
  }
}

/** How many characters at the end of the text are a beginning of the secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

/** Replaces every occurrence of the given secrets in foreign text (a child's stderr, an SDK's error). */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_MASKED_LENGTH) masked = masked.split(secret).join(SHOWN);
  }
  return masked;
}
