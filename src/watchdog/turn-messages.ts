/** A profile that the watched process serves besides its own. */
export interface Guest {
  readonly profile: string;
  readonly generation: number;
  readonly evidenceDir: string;
}

/** Whose a turn is. */
export interface TurnOwner {
  /** undefined: the profile whose process it is */
  readonly guest: Guest | undefined;
  /** directory with the cgroups of its turns; undefined: there is none that we know of */
  readonly place: string | undefined;
}

/** What the loop tells its thread about turns; it travels by structured clone, from us to us. */
export type TurnMessage =
  | {
      readonly code: 'turn-opened';
      readonly turnId: string;
      readonly session: string;
      readonly slot: number;
      /** silence after which it is given up; 0: never */
      readonly limitMs: number;
      readonly owner: TurnOwner;
    }
  | { readonly code: 'turn-closed'; readonly turnId: string }
  /** a process of it is meant to outlive it */
  | { readonly code: 'tool-kept'; readonly turnId: string; readonly scope: string };
