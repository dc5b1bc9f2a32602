import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../core/errors.js';
import { reachableHost } from './loopback.js';

export interface SelfRequest {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

const RETRY_MS = 50;

/**
 * Asks our own listener from outside until it answers 200: a loop that is starved after
 * `listen` must not be called ready (field case D15).
 * @throws what the last try failed with, once the signal is aborted
 */
export async function requestUntilAnswered(
  target: SelfRequest,
  signal: AbortSignal,
): Promise<void> {
  let last: unknown = new Error('no answer');
  while (!signal.aborted) {
    try {
      return await requestOnce(target, signal);
    } catch (thrown) {
      if (!signal.aborted) last = thrown;
    }
    await delay(RETRY_MS, undefined, { signal }).catch(() => {});
  }
  throw new Error(`its own request to ${target.path} was not answered: ${messageOf(last)}`);
}

function requestOnce({ host, port, path }: SelfRequest, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(
      // no shared agent: this connection must not linger
      { host: reachableHost(host), port, path, signal, agent: false },
      (response) => {
        response.resume();
        if (response.statusCode === 200) response.once('end', resolve);
        else reject(new Error(`status ${response.statusCode}`));
      },
    );
    request.once('error', reject);
  });
}
