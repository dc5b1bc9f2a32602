import { setImmediate } from 'node:timers/promises';
import type { AgentDriver } from '../port.js';

/** Answers with what it was told, word by word: for a first run without any key. */
export function createEchoDriver(): AgentDriver {
  return {
    historyMessages: 0,
    async run({ messages, maxTokens, onDelta, signal }) {
      const words = splitWords(messages.at(-1)?.content ?? '');
      const said = words.slice(0, maxTokens);
      for (const word of said) {
        signal.throwIfAborted();
        onDelta(word);
        await setImmediate();
      }
      signal.throwIfAborted();
      return {
        text: said.join(''),
        finishReason: said.length < words.length ? 'length' : 'stop',
        usage: { promptTokens: countWords(messages), completionTokens: said.length },
      };
    },
  };
}

/** Words with the blanks that follow them: joined again they are the text. */
function splitWords(text: string): string[] {
  return text.match(/^\s+|\S+\s*/g) ?? [];
}

/** Its tokens are words. */
function countWords(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + splitWords(content).length, 0);
}
