/** Where a profile's gateway lives: in a process of its own, or in that of the default profile. */
export type GatewayPlace = 'own' | 'served';

/** A gateway that runs in one place and belongs in the other. */
export interface Move {
  readonly profile: string;
  readonly to: GatewayPlace;
}
