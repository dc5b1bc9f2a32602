import { setTimeout as sleep } from 'node:timers/promises';

/** Often enough to be invisible in a start, rare enough not to disturb a booting program. */
const POLL_EVERY_MS = 200;
const ANSWER_WITHIN_MS = 2000;

/** Asks until a 2xx or 3xx comes; rejects only when aborted. */
export async function pollUntilAnswered(url: string, signal: AbortSignal): Promise<void> {
  while (!(await answers(url, signal))) await sleep(POLL_EVERY_MS, undefined, { signal });
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  // loaded here: most profiles have no such probe
  const client = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return await new Promise<boolean>((resolve) => {
    const request = client.get(
      url,
      { agent: false, signal, timeout: ANSWER_WITHIN_MS },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode !== undefined && answer.statusCode < 400);
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(false));
  });
}
