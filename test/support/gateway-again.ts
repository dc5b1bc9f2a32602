import { join } from 'node:path';
import { AloneGateway } from './gateway-alone.js';
import { assignmentIn, shortDir } from './gateway-assignment.js';
import { ChatClient } from './gateway-chat-client.js';
import { callsTools, resultsIn } from './gateway-model-calls.js';
import { type ModelStep, startModelServer } from './gateway-model-server.js';

interface Test {
  teardown(action: () => unknown): unknown;
}

export const SECRET = 'a-password-of-the-profile';

export const starts = (command: string) =>
  callsTools([{ name: 'terminal', input: { command, background: true } }]);
export const asks = (action: string, process_id?: unknown) =>
  callsTools([{ name: 'process', input: { action, process_id } }]);

/** A home in which one gateway without a supervisor may follow the other. */
export async function openHome(t: Test, ...script: ModelStep[]) {
  const home = shortDir(t);
  const model = await startModelServer(t, ...script);
  const assignment = assignmentIn(home, {
    secrets: [SECRET],
    agent: {
      driver: 'openai',
      baseUrl: model.baseUrl,
      apiKey: undefined,
      model: 'fake',
      systemPrompt: undefined,
      timeoutMs: 60_000,
      maxRetries: 0,
      maxTokens: undefined,
      temperature: undefined,
      historyMessages: 10,
      tools: ['terminal', 'process'],
    },
  });
  const start = async () => {
    const gateway = new AloneGateway(t, assignment);
    await gateway.ready();
    return gateway;
  };
  const ask = async (text: string) => {
    const client = new ChatClient(join(home, 'local.sock'));
    const before = model.calls.length;
    client.send({ code: 'message', text });
    await client.line('final');
    client.socket.destroy();
    const call = model.calls[before + 1];
    return call === undefined ? {} : (resultsIn(call).at(-1) ?? {});
  };
  return { home, file: join(home, 'state', 'processes.json'), start, ask };
}
