/** Something that an agent may call by name; its answer is text for the agent. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments: a closed object */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * @throws ToolRefusal what the agent asked for is not possible, and why
   * @throws the signal's reason once it is aborted
   */
  run(input: ToolInput, call: ToolCall): Promise<string>;
}

export type ToolInput = Readonly<Record<string, unknown>>;

export interface ToolCall {
  readonly turnId: string;
  readonly signal: AbortSignal;
}
