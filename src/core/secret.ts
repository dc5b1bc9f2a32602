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

/** Replaces every occurrence of the given secrets in foreign text (a child's stderr, an SDK's error). */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_MASKED_LENGTH) masked = masked.split(secret).join(SHOWN);
  }
  return masked;
}
