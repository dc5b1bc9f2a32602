import { homeHash } from '../src/config/paths.js';
import { DEFAULT_PROFILE } from '../src/core/names.js';
import type { Subject } from './service.js';

/**
 * Names under which managers know a service (spec/cli.md). A home that is not the usual one of
 * its account adds its hash, so that a second home never gets hold of the first one's unit.
 */
export interface NamedService {
  readonly subject: Subject;
  readonly home: string;
  /** the home that owns the names without a hash */
  readonly usualHome: string;
}

export function systemdUnitName(service: NamedService): string {
  return `${[...baseOf(service.subject), ...hashOf(service)].join('-')}.service`;
}

export function launchdLabel(service: NamedService): string {
  const base =
    service.subject.kind === 'supervisor'
      ? ['dev.gatewarden.supervisor']
      : ['dev.gatewarden.gateway', ...suffixOf(service.subject.profile)];
  return [...base, ...hashOf(service)].join('-');
}

/** A container has one home: no hash, and `default` is spelt out (spec/supervision.md 2.2). */
export function s6SlotName(subject: Subject): string {
  return subject.kind === 'supervisor' ? 'gatewarden' : `gateway-${subject.profile}`;
}

/** As people call it: `gateway coder`. */
export function describeSubject(subject: Subject): string {
  return subject.kind === 'supervisor' ? 'supervisor' : `gateway ${subject.profile}`;
}

function baseOf(subject: Subject): readonly string[] {
  return subject.kind === 'supervisor'
    ? ['gatewarden']
    : ['gatewarden-gateway', ...suffixOf(subject.profile)];
}

function suffixOf(profile: string): readonly string[] {
  return profile === DEFAULT_PROFILE ? [] : [profile];
}

function hashOf({ home, usualHome }: NamedService): readonly string[] {
  return home === usualHome ? [] : [homeHash(home)];
}
