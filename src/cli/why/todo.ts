import type { Cause } from '../../core/death.js';
import type { ProfileStatus } from '../../core/status.js';
import { readableLine } from '../render/foreign-line.js';

/** What the operator can do, one sentence. */
export function todoFor(profile: ProfileStatus, cause: Cause | undefined): string {
  const { name, state } = profile;
  switch (state) {
    case 'ready':
    case 'served':
      return 'nothing';
    case 'starting':
      return `nothing yet; look again with: gatewarden status ${name}`;
    case 'degraded':
      return `look at: gatewarden logs ${name}; if it stays: gatewarden restart ${name}`;
    case 'draining':
      if (profile.held?.kind === 'drain-request') {
        return `nothing, or to let messages in again: remove ${readableLine(profile.held.path)}`;
      }
      return `nothing; to end it at once: gatewarden restart ${name} --now`;
    case 'parked':
      return profile.parked === null
        ? `start it with: gatewarden start ${name}`
        : `${profile.parked.remedy}${profile.parked.remedy.includes('gatewarden start') ? '' : `; to try at once: gatewarden start ${name}`}`;
    case 'backoff':
      return `${CURES[cause ?? 'failure'](name)}; to try at once: gatewarden start ${name}`;
    case 'stopped':
      return `start it with: gatewarden start ${name}`;
    default:
      return state satisfies never;
  }
}

/** What helps against a death that comes again, by its cause. */
export const CURES: Readonly<Record<Cause, (name: string) => string>> = {
  asked: () => 'nothing',
  planned: (name) => `it restarts itself too often: see gatewarden logs ${name}`,
  config: () => 'check the configuration with: gatewarden config check',
  usage: () => 'check the command of the profile with: gatewarden config check',
  failure: (name) => `cure what its last lines say (more: gatewarden logs ${name})`,
  bug: (name) => `report it with the evidence and gatewarden logs ${name}`,
  stall: () => 'look at the stacks in the evidence: something blocks its event loop',
  oom: () => 'raise limits.memory or give the host more memory',
  'start-timeout': (name) =>
    `see what it does at the start with gatewarden logs ${name}, or raise the start deadline`,
  lost: () =>
    "unless the supervisor tells why it ended it: find out who sent the signal: an operator, another program, or the kernel's memory killer (dmesg)",
};
