import { closeSync, futimesSync, openSync, rmSync, statSync } from 'node:fs';
import { profileLayout } from '../config/paths.js';
import { type Owner, parseOwner } from '../core/owner.js';
import { isSameProcess } from '../core/process-identity.js';
import { packageVersion } from '../core/version.js';
import { readJsonFile, writeHintFile } from '../store/json-file.js';
import { isOwnerOf } from './same-home.js';

export type LivePhase = 'starting' | 'serving' | 'draining';

/**
 * What a running gateway says about itself in its profile's state/gateway.json. A hint: it
 * counts only while its owner is proven to live, and its file's time is a beat of that owner's
 * loop.
 */
export interface LiveRecord {
  readonly owner: Owner;
  readonly phase: LivePhase;
  readonly isMultiplexer: boolean;
  /** profiles that it serves besides its own */
  readonly served: readonly string[];
  /** where it answers; undefined: nowhere that we could ask */
  readonly socket: string | undefined;
  readonly beatEveryMs: number;
}

export interface SeenRecord extends LiveRecord {
  /** epoch milliseconds of the last beat */
  readonly beatAt: number;
}

/** Three missed ones are no coincidence. */
export const MISSED_BEATS = 3;

export function isBeating({ beatAt, beatEveryMs }: SeenRecord, now: number): boolean {
  return now - beatAt <= MISSED_BEATS * beatEveryMs;
}

export function readLiveRecord(path: string): SeenRecord | undefined {
  const record = parseLiveRecord(readJsonFile(path));
  // also when it lies where only another account can look
  if (record === undefined) return undefined;
  const beatAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return beatAt === undefined ? undefined : { ...record, beatAt };
}

/** The same of a home's profile; a record that came with a copy of another home is none. */
export function readRecordOf(home: string, profile: string): SeenRecord | undefined {
  const record = readLiveRecord(profileLayout(home, profile).gatewayHint);
  return record !== undefined && isOwnerOf(record.owner, home) ? record : undefined;
}

export function parseLiveRecord(raw: unknown): LiveRecord | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const fields = raw as Readonly<Record<string, unknown>>;
  const owner = parseOwner(fields['owner']);
  const { phase, socket, beatEveryMs } = fields;
  if (owner === undefined || typeof beatEveryMs !== 'number') return undefined;
  if (phase !== 'starting' && phase !== 'serving' && phase !== 'draining') return undefined;
  const served = Array.isArray(fields['served_profiles']) ? fields['served_profiles'] : [];
  return {
    owner,
    phase,
    isMultiplexer: fields['multiplexer'] === true,
    served: served.filter((name) => typeof name === 'string'),
    socket: typeof socket === 'string' ? socket : undefined,
    beatEveryMs,
  };
}

/** Keeps the record of this process; writing it may fail without consequence. */
export class LiveRecordKeeper {
  readonly #path: string;
  #record: LiveRecord;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, record: LiveRecord) {
    this.#path = path;
    this.#record = record;
    this.#write();
    this.#timer = setInterval(() => this.#beat(), record.beatEveryMs).unref();
  }

  update(changes: Partial<Pick<LiveRecord, 'phase' | 'isMultiplexer' | 'served'>>): void {
    if (this.#timer === undefined) return;
    this.#record = { ...this.#record, ...changes };
    this.#write();
  }

  /** Before the lock is let go: what comes after may be another's record. */
  close(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const present = readLiveRecord(this.#path);
    if (
      present === undefined ||
      !isSameProcess(present.owner.identity, this.#record.owner.identity)
    )
      return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // a stale hint is harmless
    }
  }

  #write(): void {
    const { owner, isMultiplexer, served, ...rest } = this.#record;
    const { pid, startTicks, bootId } = owner.identity;
    try {
      writeHintFile(this.#path, {
        pid,
        startTicks,
        bootId,
        ...rest,
        multiplexer: isMultiplexer,
        served_profiles: served,
        version: packageVersion(),
        owner,
      });
    } catch {
      // a full disk: who asks finds the lock and its owner
    }
  }

  /** On the file that we wrote, whatever stands at its path meanwhile; needs no free space. */
  #beat(): void {
    try {
      const fd = openSync(this.#path, 'r+');
      try {
        const now = new Date();
        futimesSync(fd, now, now);
      } finally {
        closeSync(fd);
      }
    } catch {
      this.#write();
    }
  }
}
