import type { Context, Invocation, VerbModule } from '../verb.js';

/** Each of the family in its own file; only the one that is meant is loaded. */
const VERBS: Readonly<Record<string, () => Promise<VerbModule['run']>>> = {
  'units print': async () => (await import('../units/print.js')).print,
  'units install': async () => (await import('../units/install.js')).install,
  'units uninstall': async () => (await import('../units/uninstall.js')).uninstall,
  'units diff': async () => (await import('../units/diff.js')).diff,
  'units verify': async () => (await import('../units/verify.js')).verify,
};

export async function run(invocation: Invocation, context: Context): Promise<number> {
  const load = VERBS[invocation.verb];
  if (load === undefined) throw new TypeError(`no such verb of units: ${invocation.verb}`);
  const verb = await load();
  return verb(invocation, context);
}
