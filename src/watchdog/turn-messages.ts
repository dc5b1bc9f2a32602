/** What the loop tells its thread about turns; it travels by structured clone, from us to us. */
export type TurnMessage =
  | {
      readonly code: 'turn-opened';
      readonly turnId: string;
      readonly session: string;
      readonly slot: number;
      /** silence after which it is given up; 0: never */
      readonly limitMs: number;
    }
  | { readonly code: 'turn-closed'; readonly turnId: string }
  /** a process of it is meant to outlive it */
  | { readonly code: 'tool-kept'; readonly turnId: string; readonly scope: string }
  /** where the cgroups of turns are; not before the first of them is made */
  | { readonly code: 'place'; readonly place: string };
