import type { Database } from 'better-sqlite3';

/** Every statement on sessions and messages, compiled once. */
export function prepareStatements(database: Database) {
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
    markCrashed: database.prepare(
      // one that was marked already keeps its reason; when it was cut off is told by its last sign
      `UPDATE sessions SET
         resume_reason = CASE WHEN resume_pending = 1 THEN resume_reason
           ELSE 'restart_interrupted' END,
         resume_marked_at = max(coalesce(resume_marked_at, 0), last_activity_at),
         resume_pending = 1
       WHERE ended_at IS NULL
         AND id IN (SELECT session_id FROM messages WHERE status = 'running')`,
    ),
    closeCrashed: database.prepare(
      "UPDATE messages SET status = 'interrupted' WHERE status = 'running'",
    ),
  };
}
