/** The middle of what was measured: one slow run on a busy machine changes nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Measures two things in turn, so that a change of the machine's mood hits both. */
export async function alternate(
  rounds: number,
  left: () => Promise<number>,
  right: () => Promise<number>,
): Promise<{ readonly left: number; readonly right: number }> {
  const lefts: number[] = [];
  const rights: number[] = [];
  for (let round = 0; round < rounds; round++) {
    lefts.push(await left());
    rights.push(await right());
  }
  return { left: median(lefts), right: median(rights) };
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Polls until the condition holds. @throws when it does not within the limit */
export async function until<Result>(
  what: string,
  condition: () => Promise<Result | undefined> | Result | undefined,
  { everyMs = 5, limitMs = 120_000 } = {},
): Promise<Result> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`${what} did not happen in ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
