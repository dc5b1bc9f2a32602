import type { RecordedEvent } from '../../core/events.js';
import { pause } from '../interrupt.js';

export interface FollowEventsOptions {
  /** the last event that is known; undefined: only what happens from now on */
  readonly since: number | undefined;
  /** where the control socket is now; undefined while no supervisor answers */
  readonly findSocket: () => Promise<string | undefined>;
  readonly onEvent: (recorded: RecordedEvent) => void;
  /** the stream broke, or did not begin */
  readonly onGap: () => void;
  readonly retryMs: number;
  readonly signal: AbortSignal;
}

/** Follows until the signal is raised; resumes after a gap where it had been. */
export async function followEvents(options: FollowEventsOptions): Promise<void> {
  const { WebSocket } = await import('ws');
  let cursor = options.since;
  while (!options.signal.aborted) {
    const socketPath = await options.findSocket();
    if (socketPath !== undefined) {
      const search = cursor === undefined ? '' : `?since=${cursor}`;
      const socket = new WebSocket(`ws+unix://${socketPath}:/v1/events${search}`);
      await drain(socket, options, (recorded) => {
        // a resumed stream may begin with what we know already
        if (cursor !== undefined && recorded.cursor <= cursor) return;
        cursor = recorded.cursor;
        options.onEvent(recorded);
      });
    }
    if (options.signal.aborted) return;
    options.onGap();
    await pause(options.retryMs, options.signal);
  }
}

/** Resolves when the connection is over, whatever ended it. */
function drain(
  socket: import('ws').WebSocket,
  { signal }: FollowEventsOptions,
  onRecorded: (recorded: RecordedEvent) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => socket.terminate();
    signal.addEventListener('abort', end, { once: true });
    socket.on('message', (data) => {
      const recorded = parseRecorded(String(data));
      if (recorded !== undefined) onRecorded(recorded);
    });
    // 'close' follows every error
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}

export function parseRecorded(text: string): RecordedEvent | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isRecorded =
      typeof value === 'object' && value !== null && 'cursor' in value && 'event' in value;
    return isRecorded ? (value as RecordedEvent) : undefined;
  } catch {
    return undefined;
  }
}
