import { type FSWatcher, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Hold } from '../../core/work.js';
import { bootId, identityOf } from '../../store/index.js';
import { type DrainRequest, judgeDrainRequest } from './drain-request.js';

export const DRAIN_REQUEST_FILE = 'drain-request.json';

/** Where the file system tells of no changes. */
export const LOOK_EVERY_MS = 1000;

/** Where it does: for a request that grows too old, and for what it may have failed to tell. */
const LOOKS_SAVED = 30;

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
  #hold: RequestHold | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;
  #watcher: FSWatcher | undefined;
  #isLooking = false;
  #looksAgain = false;

  constructor(stateDir: string, effects: DrainRequestEffects) {
    this.#path = join(stateDir, DRAIN_REQUEST_FILE);
    this.#effects = effects;
  }

  /** undefined: nothing is asked for */
  get hold(): RequestHold | undefined {
    return this.#hold;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    this.#listen();
    await this.#look();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** An idle gateway must cost nothing: the system wakes it when there is something to see. */
  #listen(): void {
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, (_, name) => {
        if (name === DRAIN_REQUEST_FILE) void this.#look();
      });
      this.#watcher.on('error', () => this.#lookOften());
    } catch {
      // no more watches on this host, or a file system without: looking often sees it too
    }
  }

  #lookOften(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    void this.#look();
  }

  async #look(): Promise<void> {
    if (this.#hasStopped) return;
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    const file = await readMarker(this.#path);
    this.#isLooking = false;
    if (this.#hasStopped) return;
    this.#judge(file);
    if (this.#looksAgain) {
      void this.#look();
      return;
    }
    clearTimeout(this.#timer);
    const { lookEveryMs } = this.#effects;
    const waitMs = this.#watcher === undefined ? lookEveryMs : lookEveryMs * LOOKS_SAVED;
    this.#timer = setTimeout(() => void this.#look(), waitMs).unref();
  }

  /** Whoever else asks meanwhile: it has drained since the first. */
  #holdFor(request: DrainRequest): RequestHold | undefined {
    if (request.kind !== 'active') return undefined;
    const since = this.#hold?.since ?? Date.now();
    const { principal: by, complaints } = request;
    return { kind: 'drain-request', by, since, path: this.#path, complaints };
  }

  #judge(file: Awaited<ReturnType<typeof readMarker>>): void {
    const request = judgeDrainRequest({ file, now: Date.now(), epoch: this.#epoch });
    if (JSON.stringify(request) !== JSON.stringify(this.#last)) {
      this.#last = request;
      this.#hold = this.#holdFor(request);
      this.#effects.onChange(request);
    }
  }
}

type RequestHold = Extract<Hold, { kind: 'drain-request' }>;

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
