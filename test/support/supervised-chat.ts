import { ChatClient } from './gateway-chat-client.js';
import type { Running } from './supervised-home.js';
import { until } from './until.js';

/** A chat with a supervised profile, as soon as that has told where it listens. */
export async function chatWith(
  t: { teardown(action: () => unknown): unknown },
  running: Running,
  name: string,
  patience: { readonly deadlineMs: number },
): Promise<ChatClient> {
  const socketOf = () =>
    running
      .profile(name)
      .view()
      .run?.gatewayReport.listen.find((one) => one.endsWith('.sock'));
  await until('it tells where to chat', () => socketOf() !== undefined, patience);
  const client = new ChatClient((socketOf() ?? '').replace(/^unix:/, ''));
  t.teardown(() => client.socket.destroy());
  return client;
}
