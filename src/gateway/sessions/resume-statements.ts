import type { Database } from 'better-sqlite3';
import type { NoticeRecord } from '../notices/judge-notice.js';
import type { BootRecord } from '../resume/judge-loop.js';
import type { PendingSession } from '../resume/plan-resume.js';
import type { StoreWrite } from './records.js';

/** Starts that are remembered (spec/supervision.md 6.6). */
const KEPT_BOOTS = 50;

type ResumeWrite = Extract<
  StoreWrite,
  {
    readonly kind:
      | 'mark-resume'
      | 'clear-resume'
      | 'count-resume'
      | 'uncount-resume'
      | 'suspend'
      | 'notice';
  }
>;

interface PendingRow {
  readonly id: string;
  readonly platform: string;
  readonly chat_id: string | null;
  readonly cut_at: number;
  readonly attempts: number;
}

interface NoticeRow {
  readonly platform: string;
  readonly chat_id: string;
  readonly down_at: number;
  readonly up_owed: number;
}

/** The statements on state.db that are about restarts. */
export class ResumeStatements {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #recordBoot: (at: number) => readonly BootRecord[];

  constructor(database: Database) {
    const sql = prepare(database);
    this.#sql = sql;
    const transaction = database.transaction((at: number) => {
      const interrupted = sql.countInterrupted.pluck().get() as number;
      sql.insertBoot.run(at, interrupted);
      sql.dropBoots.run(KEPT_BOOTS);
      return sql.boots.all() as BootRecord[];
    });
    this.#recordBoot = (at) => transaction.immediate(at);
  }

  apply(write: ResumeWrite): void {
    switch (write.kind) {
      case 'mark-resume':
        for (const id of write.sessionIds) this.#sql.mark.run(write.reason, write.at, id);
        return;
      case 'clear-resume':
        this.#sql.clear.run(write.sessionId);
        return;
      case 'count-resume':
        for (const id of write.sessionIds) this.#sql.count.run(id);
        return;
      case 'uncount-resume':
        this.#sql.uncount.run(write.sessionId);
        return;
      case 'suspend':
        for (const id of write.sessionIds) this.#sql.suspend.run(id);
        return;
      case 'notice': {
        const { platform, chatId, downAt, isUpOwed } = write.record;
        this.#sql.notice.run(platform, chatId ?? NO_CHAT, downAt, isUpOwed ? 1 : 0);
        return;
      }
      default:
        write satisfies never;
    }
  }

  pending(): readonly PendingSession[] {
    return (this.#sql.pending.all() as PendingRow[]).map((row) => ({
      id: row.id,
      platform: row.platform,
      chatId: row.chat_id ?? undefined,
      cutAt: row.cut_at,
      attempts: row.attempts,
    }));
  }

  recordBoot(at: number): readonly BootRecord[] {
    return this.#recordBoot(at);
  }

  notices(): readonly NoticeRecord[] {
    return (this.#sql.notices.all() as NoticeRow[]).map((row) => ({
      platform: row.platform,
      chatId: row.chat_id === NO_CHAT ? undefined : row.chat_id,
      downAt: row.down_at,
      isUpOwed: row.up_owed === 1,
    }));
  }
}

/** A chat without a name: no platform gives one this name, names are not empty. */
const NO_CHAT = '';

function prepare(database: Database) {
  return {
    mark: database.prepare(
      `UPDATE sessions SET resume_pending = 1, resume_reason = ?, resume_marked_at = ?
       WHERE id = ? AND ended_at IS NULL`,
    ),
    clear: database.prepare(
      `UPDATE sessions SET resume_pending = 0, resume_reason = NULL, resume_marked_at = NULL,
         resume_attempts = 0
       WHERE id = ?`,
    ),
    count: database.prepare(
      'UPDATE sessions SET resume_attempts = resume_attempts + 1 WHERE id = ?',
    ),
    uncount: database.prepare('UPDATE sessions SET resume_attempts = 0 WHERE id = ?'),
    suspend: database.prepare(
      `UPDATE sessions SET suspended = 1, resume_pending = 0, resume_reason = NULL,
         resume_marked_at = NULL, resume_attempts = 0
       WHERE id = ?`,
    ),
    pending: database.prepare(
      `SELECT id, platform, chat_id, resume_attempts AS attempts,
         coalesce(resume_marked_at, last_activity_at) AS cut_at
       FROM sessions WHERE resume_pending = 1 AND ended_at IS NULL ORDER BY cut_at, id`,
    ),
    // what was left pending by an earlier life says nothing about the one before this
    countInterrupted: database.prepare(
      `SELECT count(*) FROM sessions
       WHERE resume_pending = 1 AND ended_at IS NULL
         AND coalesce(resume_marked_at, last_activity_at) >=
           coalesce((SELECT at FROM boots ORDER BY id DESC LIMIT 1), 0)`,
    ),
    insertBoot: database.prepare('INSERT INTO boots (at, interrupted) VALUES (?, ?)'),
    dropBoots: database.prepare(
      'DELETE FROM boots WHERE id NOT IN (SELECT id FROM boots ORDER BY id DESC LIMIT ?)',
    ),
    boots: database.prepare('SELECT at, interrupted FROM boots ORDER BY id DESC'),
    notice: database.prepare(
      `INSERT INTO lifecycle_notices (platform, chat_id, down_at, up_owed) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET down_at = excluded.down_at, up_owed = excluded.up_owed`,
    ),
    notices: database.prepare('SELECT * FROM lifecycle_notices'),
  };
}
