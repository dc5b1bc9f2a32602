/** What a turn asks of an agent: one call per turn, text in pieces, one result. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type FinishReason = 'stop' | 'length';

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface AgentRequest {
  /** the conversation, oldest first; the last one is what to answer */
  readonly messages: readonly ChatMessage[];
  readonly sessionId: string;
  readonly turnId: string;
  /** upper limit that the caller asked for; undefined: the agent's own */
  readonly maxTokens: number | undefined;
  readonly onDelta: (text: string) => void;
  /** told of every sign of life that is not a delta, such as a tool that was called */
  readonly onActivity?: () => void;
  readonly signal: AbortSignal;
}

export interface AgentAnswer {
  /** the whole text, equal to all deltas together */
  readonly text: string;
  readonly finishReason: FinishReason;
  /** undefined where the agent does not count */
  readonly usage: TokenUsage | undefined;
}

export interface AgentDriver {
  /** stored messages that the agent wants to see besides the new one */
  readonly historyMessages: number;
  /**
   * @throws GatewardenError turn-failed with the next step
   * @throws the signal's reason once it is aborted
   */
  run(request: AgentRequest): Promise<AgentAnswer>;
}
