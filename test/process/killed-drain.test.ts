import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { AloneGateway } from '../support/gateway-alone.js';
import { assignmentIn, shortDir } from '../support/gateway-assignment.js';
import { ChatClient } from '../support/gateway-chat-client.js';
import { waitsFor } from '../support/gateway-worker-asks.js';
import { until } from '../support/until.js';

interface Row {
  readonly chat_id: string;
  readonly resume_pending: number;
  readonly resume_reason: string | null;
  readonly running: number;
  readonly resumed: number;
}

function conversations(home: string): Row[] {
  const database = new Database(join(home, 'state', 'state.db'), { readonly: true });
  try {
    return database
      .prepare(
        `SELECT chat_id, resume_pending, resume_reason,
           (SELECT count(*) FROM messages WHERE session_id = sessions.id AND status = 'running')
             AS running,
           (SELECT count(*) FROM messages WHERE session_id = sessions.id
              AND display_kind = 'auto_continue' AND status = 'answered') AS resumed
         FROM sessions ORDER BY chat_id`,
      )
      .all() as Row[];
  } finally {
    database.close();
  }
}

t.test(
  'kill -9 in the middle of a drain leaves the marks, and the next start takes up',
  async (t) => {
    const home = shortDir(t);
    const agent = waitsFor(join(home, 'never'));
    const first = new AloneGateway(t, assignmentIn(home, { agent, drainMs: 600_000 }));
    await first.ready();
    const client = new ChatClient(join(home, 'local.sock'));
    t.teardown(() => client.socket.destroy());
    for (const session of ['a', 'b']) client.send({ code: 'message', session, text: session });
    await client.line('delta', 2);
    process.kill(first.pid, 'SIGUSR2');
    await client.line('draining');
    first.child.kill('SIGKILL');
    t.match(await first.gone(), { signal: 'SIGKILL' });
    const marked = { resume_pending: 1, resume_reason: 'restart_timeout', running: 1, resumed: 0 };
    t.match(conversations(home), [
      { chat_id: 'a', ...marked },
      { chat_id: 'b', ...marked },
    ]);
    const second = new AloneGateway(t, assignmentIn(home));
    await second.ready();
    const isTakenUp = ({ resume_pending, resumed }: Row) => resume_pending === 0 && resumed === 1;
    await until('both are taken up', () => conversations(home).every(isTakenUp));
    process.kill(second.pid, 'SIGTERM');
    await second.gone();
  },
);
