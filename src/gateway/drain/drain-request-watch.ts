import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId, identityOf } from '../../store/index.js';
import { type DrainRequest, judgeDrainRequest } from './drain-request.js';

export const DRAIN_REQUEST_FILE = 'drain-request.json';

/** Nobody's message waits for this, and a stop finds the file at once by its own way. */
export const LOOK_EVERY_MS = 1000;

/** More of it is never read. */
const MAX_BYTES = 4096;

export interface DrainRequestEffects {
  readonly lookEveryMs: number;
  /** told of every change */
  readonly onChange: (request: DrainRequest) => void;
}

/** Looks for the marker file in the background; the loop only sees a change. */
export class DrainRequestWatch {
  readonly #path: string;
  readonly #epoch = machineEpoch();
  readonly #effects: DrainRequestEffects;
  #last: DrainRequest = { kind: 'none' };
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;

  constructor(stateDir: string, effects: DrainRequestEffects) {
    this.#path = join(stateDir, DRAIN_REQUEST_FILE);
    this.#effects = effects;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    await this.#look();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const file = await readMarker(this.#path);
    if (this.#hasStopped) return;
    const request = judgeDrainRequest({ file, now: Date.now(), epoch: this.#epoch });
    if (JSON.stringify(request) !== JSON.stringify(this.#last)) {
      this.#last = request;
      this.#effects.onChange(request);
    }
    this.#timer = setTimeout(() => void this.#look(), this.#effects.lookEveryMs).unref();
  }
}

/** Changes with the machine and with the container, not with the gateway. */
export function machineEpoch(): string {
  return `${bootId() ?? ''}:${identityOf(1)?.startTicks ?? ''}`;
}

/** A file that cannot be read is there all the same. */
async function readMarker(path: string) {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path);
    const { mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), writtenAt: mtimeMs };
  } catch (thrown) {
    const isAbsent = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return isAbsent ? undefined : { text: '', writtenAt: Date.now() };
  } finally {
    await handle?.close();
  }
}
