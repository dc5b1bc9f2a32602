import type { OwnUnit } from './own-units.js';

/** Two units of one home that would both own the same role: one of them loses at every boot. */
export interface Twins {
  /** `the supervisor of this home`, `profile coder` */
  readonly role: string;
  readonly first: OwnUnit;
  readonly second: OwnUnit;
}

/** A pair for each role that more than one unit has (field case C16). */
export function findTwins(units: readonly OwnUnit[]): Twins[] {
  const byRole = new Map<string, OwnUnit[]>();
  for (const unit of units) {
    byRole.set(roleOf(unit), [...(byRole.get(roleOf(unit)) ?? []), unit]);
  }
  const twins = [...byRole].flatMap(([role, [first, ...others]]) =>
    others.map((second) => ({ role, first: first ?? second, second })),
  );
  return [...twins, ...findMixed(units)];
}

/** A supervisor runs every profile of its home, also one whose gateway has a unit of its own. */
function findMixed(units: readonly OwnUnit[]): readonly Twins[] {
  const supervisor = units.find(({ subject }) => subject.kind === 'supervisor');
  if (supervisor === undefined) return [];
  return units
    .filter(({ subject }) => subject.kind === 'gateway')
    .map((gateway) => ({ role: roleOf(gateway), first: supervisor, second: gateway }));
}

export function describeTwins({ first, role, second }: Twins): string {
  return `${where(first)} and ${where(second)} both run ${role}`;
}

export function remedyForTwins({ second: { subject, target } }: Twins): string {
  const profile = subject.kind === 'gateway' ? ` --profile ${subject.profile}` : '';
  return `remove one: gatewarden units uninstall ${target.manager} --${target.scope}${profile}`;
}

function roleOf({ subject }: OwnUnit): string {
  return subject.kind === 'supervisor'
    ? 'the supervisor of this home'
    : `profile ${subject.profile}`;
}

function where({ path, target }: OwnUnit): string {
  return `${path} (${target.manager}, ${target.scope})`;
}
