import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Here, Owner, OwnerLiveness, Place } from '../core/owner.js';
import { nearnessOf } from '../core/owner.js';
import { bootId, identityOf, livenessOf } from './process-table.js';

const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'] as const;
const MACHINE_LENGTH = 12;

/** Where this process lives. */
export function ownPlace(): Place {
  knownPlace ??= { machine: machineOf(), hostName: hostname(), pidNamespace: pidNamespaceOf() };
  return knownPlace;
}

export function here(): Here {
  return { place: ownPlace(), bootId: bootId() };
}

/** This process as the owner of something. */
export function ownOwner(home: string, profile?: string): Owner {
  const identity = identityOf(process.pid) ?? {
    pid: process.pid,
    startTicks: undefined,
    bootId: bootId(),
  };
  return { identity, place: ownPlace(), home, profile, startedAt: Date.now() };
}

/** `earlier-boot` is dead by the boot id alone; whoever shares the storage only asks more. */
export function livenessOfOwner(owner: Owner): OwnerLiveness {
  switch (nearnessOf(owner, here())) {
    case 'same-table':
      return livenessOf(owner.identity);
    case 'earlier-boot':
      return 'dead';
    case 'same-kernel':
    case 'other-machine':
      return 'elsewhere';
  }
}

let knownPlace: Place | undefined;

/** The id itself is confidential (machine-id(5)): only a hash of it leaves the machine. */
function machineOf(): string {
  const id = MACHINE_ID_FILES.map(readText).find((text) => text !== undefined && text !== '');
  const hash = createHash('sha256')
    .update('gatewarden')
    .update(id ?? hostname());
  return hash.digest('hex').slice(0, MACHINE_LENGTH);
}

function pidNamespaceOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
