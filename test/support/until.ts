import { setTimeout as sleep } from 'node:timers/promises';

/** Long for a loaded machine; a healthy one never comes near it. */
const DEADLINE_MS = 120_000;

export interface Patience {
  readonly deadlineMs?: number;
  /** longer where looking costs the machine more than waiting */
  readonly everyMs?: number;
}

/** Waits for a condition, looking often; fails with the condition's name at the deadline. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { deadlineMs = DEADLINE_MS, everyMs = 10 }: Patience = {},
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`still not after ${deadlineMs} ms: ${what}`);
    await sleep(everyMs);
  }
}
