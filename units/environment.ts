/** Sorted by name when rendered, so that two units of one service are equal as texts. */
export type EnvironmentMap = Readonly<Record<string, string>>;

export function sortedEntries(env: EnvironmentMap): readonly (readonly [string, string])[] {
  return Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
}
