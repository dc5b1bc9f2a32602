import type { Scope } from './port.js';

/** Where each scope keeps, or must look up, its own list. */
export async function censusOneByOne(
  scopes: readonly Scope[],
): Promise<ReadonlyMap<Scope, readonly number[]>> {
  const counted = new Map<Scope, readonly number[]>();
  for (const scope of scopes) {
    counted.set(
      scope,
      (await scope.members()).map(({ pid }) => pid),
    );
  }
  return counted;
}
