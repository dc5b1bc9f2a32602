const KIBI = 1024;
const FACTORS: Readonly<Record<string, number>> = {
  KiB: KIBI,
  MiB: KIBI ** 2,
  GiB: KIBI ** 3,
  TiB: KIBI ** 4,
};

/** A number with a unit: a bare number means something else to each reader. */
export const SIZE_PATTERN = /^(\d{1,9}(?:\.\d{1,3})?)(KiB|MiB|GiB|TiB)$/;

/** `512MiB` in bytes; the text has matched the pattern. */
export function sizeToBytes(text: string): number {
  const [, amount, unit] = SIZE_PATTERN.exec(text) ?? [];
  return Math.round(Number(amount) * (FACTORS[unit ?? ''] ?? Number.NaN));
}
