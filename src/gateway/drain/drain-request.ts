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
  | { readonly kind: 'active'; readonly principal: string };

/** A file that says nothing we understand still asks for a drain: `touch` is enough. Pure. */
export function judgeDrainRequest({ file, now, epoch }: DrainRequestFacts): DrainRequest {
  if (file === undefined) return { kind: 'none' };
  const fields = parseFields(file.text);
  const written = Date.parse(textOf(fields['requested_at']) ?? '');
  const requestedAt = Number.isNaN(written) ? file.writtenAt : Math.max(written, file.writtenAt);
  if (now - requestedAt > DRAIN_REQUEST_TTL_MS) return { kind: 'stale' };
  const claimed = textOf(fields['epoch']);
  if (claimed !== undefined && claimed !== epoch) return { kind: 'stale' };
  return { kind: 'active', principal: textOf(fields['principal']) ?? 'a file' };
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const MAX_TEXT = 200;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
}
