import {
  type ModelCall,
  type ModelStep,
  openStream,
  sendDelta,
  sendEvent,
} from './gateway-model-server.js';

/** One call that a model asks for; `input` as a text is sent as it is. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: object | string;
  readonly id?: string;
}

/** Says something, then asks for calls, their arguments in small pieces. */
export function callsTools(calls: readonly ScriptedCall[], saying = ''): ModelStep {
  return (response) => {
    openStream(response);
    if (saying !== '') sendDelta(response, saying);
    const texts = calls.map(({ input }) =>
      typeof input === 'string' ? input : JSON.stringify(input),
    );
    for (const [index, { name, id }] of calls.entries()) {
      const started = { name, arguments: '' };
      sendCalls(response, [
        { index, id: id ?? `call-${index}`, type: 'function', function: started },
      ]);
    }
    // several calls grow side by side
    for (let at = 0; texts.some((text) => at < text.length); at += PIECE_CHARS) {
      const pieces = texts.flatMap((text, index) => {
        const piece = text.slice(at, at + PIECE_CHARS);
        return piece === '' ? [] : [{ index, function: { arguments: piece } }];
      });
      sendCalls(response, pieces);
    }
    sendEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
    response.end('data: [DONE]\n\n');
  };
}

const PIECE_CHARS = 7;

function sendCalls(response: Parameters<ModelStep>[0], tool_calls: readonly object[]): void {
  sendEvent(response, { choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] });
}

/** What the tools answered, in the order of the conversation that the model was sent. */
export function resultsIn({ body }: ModelCall): Record<string, unknown>[] {
  return body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content) as Record<string, unknown>);
}
