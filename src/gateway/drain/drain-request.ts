/** What a marker file in the profile's state directory asks for (spec/supervision.md 6.4). */

/** A request that nobody has renewed for so long was forgotten by who made it. */
export const DRAIN_REQUEST_TTL_MS = 3_600_000;

export interface DrainRequestFacts {
  /** undefined: there is no file */
  readonly file: { readonly text: string; readonly writtenAt: number } | undefined;
  /** epoch milliseconds */
  readonly now: number;
  /** of this boot of the machine or the container */
  readonly epoch: string;
}

export type DrainRequest =
  | { readonly kind: 'none' }
  /** too old, or of a machine that has been started anew since */
  | { readonly kind: 'stale' }
  | {
      readonly kind: 'active';
      readonly principal: string;
      /** what of it is not understood, each a clause; it asks all the same */
      readonly complaints: readonly string[];
    };

/** A file that says nothing we understand still asks for a drain: `touch` is enough. Pure. */
export function judgeDrainRequest({ file, now, epoch }: DrainRequestFacts): DrainRequest {
  if (file === undefined) return { kind: 'none' };
  const { fields, complaints } = parseFields(file.text);
  const written = Date.parse(textOf(fields['requested_at']) ?? '');
  const requestedAt = Number.isNaN(written) ? file.writtenAt : Math.max(written, file.writtenAt);
  if (now - requestedAt > DRAIN_REQUEST_TTL_MS) return { kind: 'stale' };
  const claimed = textOf(fields['epoch']);
  if (claimed !== undefined && claimed !== epoch) return { kind: 'stale' };
  return { kind: 'active', principal: textOf(fields['principal']) ?? 'a file', complaints };
}

interface Field {
  readonly expected: string;
  readonly isGood: (value: unknown) => boolean;
}

const TEXT: Field = { expected: 'a text', isGood: (value) => textOf(value) !== undefined };

/** Whatever else stands in the file is its writer's own. */
const FIELDS: Readonly<Record<string, Field>> = Object.freeze({
  // a marker has no other: its end is its removal
  action: { expected: '"drain"', isGood: (value) => value === 'drain' },
  principal: TEXT,
  requested_at: {
    expected: 'a time as ISO 8601 writes it',
    isGood: (value) => !Number.isNaN(Date.parse(textOf(value) ?? '')),
  },
  epoch: TEXT,
  // of a broadcast that this version does not make: who works in a chat is always told
  suppress_notification: {
    expected: 'true or false',
    isGood: (value) => typeof value === 'boolean',
  },
});

interface Parsed {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly complaints: readonly string[];
}

function parseFields(text: string): Parsed {
  if (text.trim() === '') return { fields: {}, complaints: [] };
  const fields = objectIn(text);
  if (fields === undefined) {
    return { fields: {}, complaints: ['it holds something else than a JSON object'] };
  }
  const complaints = Object.entries(FIELDS).flatMap(([name, { expected, isGood }]) => {
    const value = fields[name];
    if (value === undefined || isGood(value)) return [];
    return [`its ${name} should be ${expected}, and is ${clip(JSON.stringify(value))}`];
  });
  return { fields, complaints };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const MAX_TEXT = 200;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? clip(value) : undefined;
}

function clip(text: string): string {
  return text.slice(0, MAX_TEXT);
}
