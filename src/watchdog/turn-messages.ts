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
  | {
      readonly code: 'tool-started';
      readonly turnId: string;
      readonly processId: string;
      readonly tree: ToolTree;
    }
  | { readonly code: 'tool-ended'; readonly processId: string };

/** How the processes of a tool are found without the loop. */
export interface ToolTree {
  /** its cgroup; undefined below cgroup2 */
  readonly place: string | undefined;
  /** in the environment of every process of it */
  readonly tag: string;
}
