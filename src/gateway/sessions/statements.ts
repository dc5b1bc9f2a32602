import type { Database } from 'better-sqlite3';
import type { History, SessionRecord, StoreWrite, TurnResult } from './records.js';

interface SessionRow {
  readonly id: string;
  readonly session_key: string;
  readonly platform: string;
  readonly chat_id: string | null;
  readonly started_at: number;
  readonly resume_pending: number;
}

/** Every statement of the gateway on state.db, prepared once. */
export class Statements {
  readonly #database: Database;
  readonly #apply: (writes: readonly StoreWrite[]) => void;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepare(database);
    const transaction = database.transaction((writes: readonly StoreWrite[]) => {
      for (const write of writes) this.#applyOne(write);
    });
    this.#apply = (writes) => transaction.immediate(writes);
  }

  /** All or nothing. */
  apply(writes: readonly StoreWrite[]): void {
    this.#apply(writes);
  }

  openSession(key: string): SessionRecord | undefined {
    const row = this.#sql.openSession.get(key) as SessionRow | undefined;
    if (row === undefined) return undefined;
    return {
      id: row.id,
      key: row.session_key,
      platform: row.platform,
      chatId: row.chat_id ?? undefined,
      startedAt: row.started_at,
      resumePending: row.resume_pending === 1,
    };
  }

  /** The newest `limit` messages, oldest first; a question whose turn failed is left out. */
  history(sessionId: string, limit: number): History {
    const rows = this.#sql.history.all(sessionId, limit) as History[number][];
    return rows.reverse();
  }

  hasTaken(sessionKey: string, platformMessageId: string): boolean {
    return this.#sql.taken.get(platformMessageId, sessionKey) !== undefined;
  }

  /** Turns that a crash cut off: their sessions are told at the next message. */
  recoverCrashed(): number {
    return this.#database
      .transaction(() => {
        this.#sql.markCrashed.run();
        return this.#sql.closeCrashed.run().changes;
      })
      .immediate();
  }

  #applyOne(write: StoreWrite): void {
    switch (write.kind) {
      case 'open-session': {
        const { session } = write;
        this.#sql.insertSession.run({
          id: session.id,
          key: session.key,
          platform: session.platform,
          chatId: session.chatId ?? null,
          startedAt: session.startedAt,
          endedAt: write.ended === undefined ? null : session.startedAt,
          endReason: write.ended ?? null,
        });
        return;
      }
      case 'end-session':
        this.#sql.endSession.run({ key: write.key, at: write.at, reason: write.reason });
        return;
      case 'message-in':
        this.#sql.insertQuestion.run({
          ...write.message,
          platformMessageId: write.message.platformMessageId ?? null,
          displayKind: write.message.displayKind ?? null,
        });
        this.#sql.touchForQuestion.run(write.message.at, write.message.sessionId);
        return;
      case 'turn-over':
        this.#finishTurn(write.result);
        return;
      case 'mark-resume':
        for (const id of write.sessionIds) this.#sql.markResume.run(write.reason, id);
        return;
      case 'clear-resume':
        this.#sql.clearResume.run(write.sessionId);
        return;
      default:
        write satisfies never;
    }
  }

  #finishTurn(result: TurnResult): void {
    const { turnId, sessionId, status, at } = result;
    const promptTokens = result.usage?.promptTokens ?? null;
    const completionTokens = result.usage?.completionTokens ?? null;
    this.#sql.finishQuestion.run(status, turnId);
    if (result.text !== '') {
      this.#sql.insertAnswer.run({
        turnId,
        sessionId,
        status,
        at,
        content: result.text,
        finishReason: result.finishReason ?? null,
        promptTokens,
        completionTokens,
      });
    }
    this.#sql.touchForAnswer.run({
      at,
      sessionId,
      messages: result.text === '' ? 0 : 1,
      promptTokens: promptTokens ?? 0,
      completionTokens: completionTokens ?? 0,
    });
  }
}

function prepare(database: Database) {
  return {
    openSession: database.prepare(
      'SELECT * FROM sessions WHERE session_key = ? AND ended_at IS NULL',
    ),
    history: database.prepare(
      `SELECT role, content FROM messages
       WHERE session_id = ? AND status IN ('answered', 'interrupted') ORDER BY id DESC LIMIT ?`,
    ),
    taken: database.prepare(
      `SELECT 1 FROM messages JOIN sessions ON sessions.id = session_id
       WHERE platform_message_id = ? AND session_key = ? AND role = 'user'
         AND status IN ('running', 'answered') LIMIT 1`,
    ),
    insertSession: database.prepare(
      `INSERT INTO sessions (id, session_key, platform, chat_id, started_at, last_activity_at,
         ended_at, end_reason)
       VALUES (@id, @key, @platform, @chatId, @startedAt, @startedAt, @endedAt, @endReason)`,
    ),
    endSession: database.prepare(
      `UPDATE sessions SET ended_at = @at, end_reason = @reason, resume_pending = 0,
         resume_reason = NULL
       WHERE session_key = @key AND ended_at IS NULL`,
    ),
    insertQuestion: database.prepare(
      `INSERT INTO messages (session_id, turn_id, role, content, status, timestamp,
         platform_message_id, display_kind)
       VALUES (@sessionId, @turnId, 'user', @content, 'running', @at, @platformMessageId,
         @displayKind)`,
    ),
    touchForQuestion: database.prepare(
      `UPDATE sessions SET last_activity_at = ?, message_count = message_count + 1,
         turn_count = turn_count + 1
       WHERE id = ?`,
    ),
    finishQuestion: database.prepare(
      "UPDATE messages SET status = ? WHERE turn_id = ? AND role = 'user'",
    ),
    insertAnswer: database.prepare(
      `INSERT INTO messages (session_id, turn_id, role, content, status, finish_reason, timestamp,
         prompt_tokens, completion_tokens)
       VALUES (@sessionId, @turnId, 'assistant', @content, @status, @finishReason, @at,
         @promptTokens, @completionTokens)`,
    ),
    touchForAnswer: database.prepare(
      `UPDATE sessions SET last_activity_at = @at, message_count = message_count + @messages,
         prompt_tokens = prompt_tokens + @promptTokens,
         completion_tokens = completion_tokens + @completionTokens
       WHERE id = @sessionId`,
    ),
    markResume: database.prepare(
      'UPDATE sessions SET resume_pending = 1, resume_reason = ? WHERE id = ? AND ended_at IS NULL',
    ),
    clearResume: database.prepare(
      'UPDATE sessions SET resume_pending = 0, resume_reason = NULL WHERE id = ?',
    ),
    markCrashed: database.prepare(
      `UPDATE sessions SET resume_pending = 1, resume_reason = 'restart_interrupted'
       WHERE ended_at IS NULL AND resume_pending = 0
         AND id IN (SELECT session_id FROM messages WHERE status = 'running')`,
    ),
    closeCrashed: database.prepare(
      "UPDATE messages SET status = 'interrupted' WHERE status = 'running'",
    ),
  };
}
