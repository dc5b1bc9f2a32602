/** Longest that a test waits for anything: far beyond what a loaded machine needs. */
const DEADLINE_MS = 20_000;

/** The promise, or an error that says what did not come. */
export async function within<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const POLL_MS = 10;

/** Asks until the answer is not undefined and not false. */
export async function until<Value>(
  ask: () => Value | undefined | false | Promise<Value | undefined | false>,
  what: string,
): Promise<Value> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
