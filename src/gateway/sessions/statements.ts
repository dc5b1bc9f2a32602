import type { Database } from 'better-sqlite3';
import { prepareStatements } from './prepare-statements.js';
import type { History, SessionRecord, StoreWrite, TurnResult } from './records.js';
import { ResumeStatements } from './resume-statements.js';

interface SessionRow {
  readonly id: string;
  readonly session_key: string;
  readonly platform: string;
  readonly chat_id: string | null;
  readonly started_at: number;
  readonly resume_pending: number;
  readonly suspended: number;
}

/** Every statement of the gateway on state.db, prepared once. */
export class Statements {
  readonly #database: Database;
  readonly #apply: (writes: readonly StoreWrite[]) => void;
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly resume: ResumeStatements;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepareStatements(database);
    this.resume = new ResumeStatements(database);
    const transaction = database.transaction((writes: readonly StoreWrite[]) => {
      for (const write of writes) this.#applyOne(write);
    });
    this.#apply = (writes) => transaction.immediate(writes);
  }

  /** Takes the lock of writers and lets it go again; nothing is written. */
  lock(): void {
    this.#apply([]);
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
      suspended: row.suspended === 1,
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
      case 'clear-resume':
      case 'count-resume':
      case 'uncount-resume':
      case 'suspend':
      case 'notice':
        this.resume.apply(write);
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
