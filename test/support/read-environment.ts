/** What the test runner adds to every child of a test, and what a shell sets for its own use. */
const NOT_OURS = /^(?:_TAPJS_|NODE_OPTIONS$|_$)/;

/** The output of `env` as names and values, without the runner's own. */
export function readEnvironment(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && !NOT_OURS.test(name)) found[name] = value ?? '';
  }
  return found;
}
