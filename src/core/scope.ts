/**
 * The tag that every process of ours carries in its environment, so that what a generation
 * left behind is found without any file: `‹home hash›:‹supervisor instance›:‹profile›:‹generation›`.
 */
export const SCOPE_VARIABLE = 'GATEWARDEN_SCOPE';

/** Names the turn that a process works for: an agent is not the one who ends its own gateway. */
export const TURN_VARIABLE = 'GATEWARDEN_TURN';

/** Tells two supervisors of one home apart: the second may run while the first one's remains die. */
export function instanceTag(pid: number, startTicks: number | undefined): string {
  return `${pid}-${startTicks ?? 0}`;
}

/** Starts the value of every process of one supervisor; ends in the separator. */
export function instancePrefix(homeHash: string, instance: string): string {
  return `${homeHash}:${instance}:`;
}

/** The tag itself or one below it; `…:1` is not above `…:12`. */
export function isWithin(tag: string, owner: string): boolean {
  return tag === owner || tag.startsWith(`${owner}:`);
}

export function generationScope(prefix: string, profile: string, generation: number): string {
  return `${prefix}${profile}:${generation}`;
}
