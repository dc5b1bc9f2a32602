import { CLI_EXIT } from '../../core/exit-codes.js';
import { followEvents } from '../control/follow-events.js';
import { reach, reachOrFail } from '../control/reach.js';
import { onInterrupt } from '../interrupt.js';
import { renderEvent } from '../render/event-line.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';

const RETRY_MS = 500;

/** Follows the event stream until Ctrl-C; a supervisor that restarts is waited for. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const isJson = hasFlag(invocation, 'json');
  const { client } = await reachOrFail(home, env);
  // from the newest known on, so that nothing is missed while the supervisor restarts
  const { rows } = await client.history({ profile: undefined, since: undefined, limit: 1 });
  const { signal, release } = onInterrupt();
  let isGapTold = false;
  try {
    await followEvents({
      since: numberOption(invocation, 'since') ?? rows[0]?.cursor,
      findSocket: async () => {
        const found = await reach(home, env);
        return found.kind === 'answers' ? found.client.socketPath : undefined;
      },
      onEvent: (recorded) => {
        isGapTold = false;
        const line = renderEvent({ ...recorded, atMs: recorded.at }, Date.now(), terminal.paint);
        terminal.out(
          isJson
            ? JSON.stringify(recorded)
            : `${terminal.paint.dim(`${recorded.cursor}`)}  ${line}`,
        );
      },
      onGap: () => {
        if (!isGapTold) terminal.notice('the supervisor went away; waiting for it');
        isGapTold = true;
      },
      retryMs: RETRY_MS,
      signal,
    });
  } finally {
    release();
  }
  return CLI_EXIT.done;
}
