/** Layout of state.db. A change adds a step to MIGRATIONS; steps that were released never change. */

const FIRST = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  platform TEXT NOT NULL,
  chat_id TEXT,
  started_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  resume_pending INTEGER NOT NULL DEFAULT 0,
  resume_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX sessions_open_by_key ON sessions (session_key) WHERE ended_at IS NULL;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  turn_id TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  status TEXT NOT NULL,
  finish_reason TEXT,
  timestamp INTEGER NOT NULL,
  platform_message_id TEXT,
  prompt_tokens INTEGER,
  completion_tokens INTEGER
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, id);
CREATE INDEX messages_by_turn ON messages (turn_id);
CREATE INDEX messages_by_platform_id ON messages (platform_message_id)
  WHERE platform_message_id IS NOT NULL;
CREATE INDEX messages_running ON messages (status) WHERE status = 'running';
`;

/** Rows of role user that no person wrote. */
const DISPLAY_KIND = 'ALTER TABLE messages ADD COLUMN display_kind TEXT;';

/** What is taken up after a restart, how often already, and what each chat was told. */
const RESUME = `
ALTER TABLE sessions ADD COLUMN resume_marked_at INTEGER;
ALTER TABLE sessions ADD COLUMN resume_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_resume ON sessions (resume_pending) WHERE resume_pending = 1;
CREATE TABLE boots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  interrupted INTEGER NOT NULL
) STRICT;
CREATE TABLE lifecycle_notices (
  platform TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  down_at INTEGER NOT NULL,
  up_owed INTEGER NOT NULL,
  PRIMARY KEY (platform, chat_id)
) STRICT;
`;

/** The step at index n leads from schema n to schema n + 1. */
export const MIGRATIONS: readonly string[] = [FIRST, DISPLAY_KIND, RESUME];

export const SCHEMA_VERSION = MIGRATIONS.length;
