/**
 * Upgrades a runtime record from before its lifecycle was separate from the delivery to it, or from before its
 * pane had the names that every pane has. Leaves a current record as it is.
 */
export const UPGRADED_RUNTIME = `CASE WHEN json_valid(record) THEN
  CASE WHEN json_type(record, '$.pane.paneId') IS NOT NULL THEN json_set(record,
    '$.pane', json_patch('{}', json_object(
      'socket', record ->> '$.socket', 'id', record ->> '$.pane.paneId',
      'server', record ->> '$.pane.serverPid', 'pid', record ->> '$.pane.panePid',
      'agentPid', record ->> '$.pane.agentPid')))
  WHEN json_type(record, '$.wantsRunning') IS NULL THEN record ELSE json_remove(
    json_patch(record, json_object(
      'status', CASE
        WHEN record ->> '$.status' = 'spawn_recovery' THEN 'starting'
        WHEN record ->> '$.status' = 'failed' AND NOT record ->> '$.wantsRunning' THEN 'given-up'
        WHEN record ->> '$.status' IN ('starting', 'offline', 'failed', 'stopping', 'stopped')
          THEN record ->> '$.status'
        WHEN record ->> '$.tmuxPane' IS NULL THEN 'offline' ELSE 'ready' END,
      'pane', json(CASE WHEN record ->> '$.tmuxPane' IS NOT NULL THEN json_patch('{}', json_object(
        'socket', record ->> '$.socket', 'id', record ->> '$.tmuxPane',
        'server', record ->> '$.serverPid', 'pid', record ->> '$.panePid',
        'agentPid', record ->> '$.pid')) END),
      'restartBy', CASE WHEN record ->> '$.status' IN ('stopping', 'stopped')
        THEN record ->> '$.restartBy' END)),
    '$.tmuxSession', '$.tmuxWindow', '$.tmuxPane', '$.serverPid', '$.panePid', '$.pid', '$.pidStart',
    '$.lastTriggerId', '$.wantsRunning') END
  ELSE record END`

/**
 * Upgrades a trigger record from before each of its states had only its own data. Copies text exactly, since a
 * trigger only moves if its record is exactly the text that was read.
 */
export const UPGRADED_TRIGGER = `CASE WHEN json_valid(record) THEN
  CASE WHEN json_type(record, '$.pastes') IS NULL THEN record ELSE json_remove(
    json_patch(record, json_object(
      'write', json(CASE WHEN record ->> '$.claimedAt' IS NOT NULL
        AND record ->> '$.state' NOT IN ('queued', 'deferred', 'cancelled')
        THEN json_patch('{}', json_object(
          'by', CASE WHEN record ->> '$.isInChannel' THEN 'channel' ELSE 'paste' END,
          'claimedAt', json(record -> '$.claimedAt'),
          'wroteAt', json(coalesce(record -> '$.wroteAt', record -> '$.claimedAt')),
          'pastes', json(record -> '$.pastes'), 'calmAt', json(record -> '$.calmAt'),
          'enters', json(record -> '$.enters'), 'isUnsure', json(record -> '$.isUnsure'))) END),
      'via', CASE WHEN record ->> '$.state' = 'delivered'
        THEN coalesce(record ->> '$.via', 'paste') END)),
    '$.claimedAt', '$.wroteAt', '$.pastes', '$.calmAt', '$.enters', '$.isUnsure', '$.isInChannel',
    iif(record ->> '$.state' IN ('deferred', 'failed', 'cancelled'), '$.none', '$.code'),
    iif(record ->> '$.state' IN ('deferred', 'written', 'submitted'), '$.none', '$.deferredAt'),
    iif(record ->> '$.state' IN ('queued', 'claimed', 'written', 'submitted'),
      '$.none', '$.notBefore'),
    iif(record ->> '$.state' = 'submitted', '$.none', '$.enteredAt')) END
  ELSE record END`

/** Each runs once, in order, in its own transaction; `user_version` counts how many have run. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  -- Append-only. Replaying it on top of base gives the sessions table.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    admitted_at INTEGER NOT NULL,
    type TEXT NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;

  -- The sessions as they were after event seq, the last one that was compacted away.
  CREATE TABLE base (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    sessions TEXT NOT NULL
  ) STRICT;
  INSERT INTO base VALUES (1, 0, '[]');

  CREATE TABLE sessions (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE episodes (
    seq INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    harness TEXT NOT NULL,
    reason TEXT NOT NULL,
    stuck_at INTEGER NOT NULL,
    closed_at INTEGER NOT NULL
  ) STRICT;

  -- What the episodes add up to, kept when they are pruned.
  CREATE TABLE daily_stats (
    day TEXT NOT NULL,
    harness TEXT NOT NULL,
    reason TEXT NOT NULL,
    episodes INTEGER NOT NULL,
    stuck_ms INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL,
    PRIMARY KEY (day, harness, reason)
  ) STRICT;

  -- Hooks and event kinds that nothing here understands: recorded, and ignored.
  CREATE TABLE ignored_signals (
    harness TEXT NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (harness, name)
  ) STRICT;
  `,
  `
  -- The supervisor and the bridge. A record is the whole thing as JSON; the columns beside it are what is asked for.

  CREATE TABLE runtimes (
    runtime_id TEXT PRIMARY KEY,
    -- Of a role there is one runtime at most.
    agent_id TEXT NOT NULL UNIQUE,
    workspace_id TEXT NOT NULL,
    harness TEXT NOT NULL,
    session_id TEXT,
    status TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runtimes_by_session ON runtimes (harness, session_id);

  CREATE TABLE triggers (
    trigger_id TEXT PRIMARY KEY,
    runtime_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    thread_id TEXT,
    mark TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    claimed_at INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX triggers_by_runtime ON triggers (runtime_id, created_at);
  CREATE INDEX triggers_by_state ON triggers (state, created_at);
  CREATE INDEX claims_by_agent ON triggers (agent_id, claimed_at);
  CREATE INDEX claims_by_thread ON triggers (thread_id, claimed_at);
  -- Two prompts must never be on their way to one runtime at once, whatever the code believes.
  CREATE UNIQUE INDEX one_trigger_in_hand ON triggers (runtime_id)
    WHERE state IN ('claimed', 'written', 'submitted', 'fallback');

  CREATE TABLE dispatches (
    dispatch_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    runtime_id TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_dispatch_of_a_name ON dispatches (name) WHERE ended_at IS NULL;

  CREATE TABLE threads (
    thread_id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL,
    -- Set for agents only: what they said is never unread for themselves.
    author_agent_id TEXT,
    -- A JSON array of agents; NULL is everybody in the thread.
    recipients TEXT,
    posted_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX messages_by_thread ON messages (thread_id, seq);

  -- One row per thread and participant.
  CREATE TABLE cursors (
    thread_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (thread_id, agent_id)
  ) STRICT;
  CREATE INDEX cursors_by_agent ON cursors (agent_id);

  CREATE TABLE heartbeats (
    runtime_id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    beat_at INTEGER NOT NULL
  ) STRICT;

  -- The token itself is nowhere.
  CREATE TABLE tokens (
    token_id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    runtime_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    revoked_why TEXT
  ) STRICT;
  CREATE INDEX tokens_by_runtime ON tokens (runtime_id);

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    agent_id TEXT,
    runtime_id TEXT,
    thread_id TEXT,
    trigger_id TEXT,
    result TEXT,
    detail TEXT,
    payload_sha256 TEXT,
    payload_bytes INTEGER,
    payload TEXT
  ) STRICT;
  CREATE INDEX audit_by_agent ON audit (agent_id, seq);
  CREATE INDEX audit_by_trigger ON audit (trigger_id, seq);
  CREATE INDEX audit_by_thread ON audit (thread_id, seq);
  CREATE TRIGGER audit_keeps_lines BEFORE UPDATE ON audit
    BEGIN SELECT raise(ABORT, 'The audit is append-only.'); END;
  CREATE TRIGGER audit_loses_no_line BEFORE DELETE ON audit
    BEGIN SELECT raise(ABORT, 'The audit is append-only.'); END;
  -- INSERT OR REPLACE deletes without asking the trigger above.
  CREATE TRIGGER audit_replaces_no_line BEFORE INSERT ON audit
    WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
    BEGIN SELECT raise(ABORT, 'The audit is append-only.'); END;
  `,
  `
  -- What the lines that were forgotten add up to; no result is ''.
  CREATE TABLE audit_totals (
    kind TEXT NOT NULL,
    result TEXT NOT NULL,
    lines INTEGER NOT NULL,
    PRIMARY KEY (kind, result)
  ) STRICT;
  -- A line may go when it is older than what is kept, which has to be written down first.
  DROP TRIGGER audit_loses_no_line;
  CREATE TRIGGER audit_loses_no_line BEFORE DELETE ON audit
    WHEN OLD.at >= coalesce((SELECT CAST(value AS REAL) FROM meta WHERE key = 'audit_kept_from'), OLD.at)
    BEGIN SELECT raise(ABORT, 'The audit is append-only.'); END;
  `,
  `
  -- Rows that could not be understood, as JSON, each with what was wrong with it.
  CREATE TABLE set_aside_rows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    row_id INTEGER NOT NULL,
    row TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX set_aside_rows_by_row ON set_aside_rows (table_name, row_id);
  -- A damaged line may go once it was set aside.
  DROP TRIGGER audit_loses_no_line;
  CREATE TRIGGER audit_loses_no_line BEFORE DELETE ON audit
    WHEN OLD.at >= coalesce((SELECT CAST(value AS REAL) FROM meta WHERE key = 'audit_kept_from'), OLD.at)
      AND NOT EXISTS (SELECT 1 FROM set_aside_rows WHERE table_name = 'audit' AND row_id = OLD.seq)
    BEGIN SELECT raise(ABORT, 'The audit is append-only.'); END;
  `,
  `
  -- How an episode was over. What was closed earlier did not say.
  ALTER TABLE episodes ADD COLUMN outcome TEXT NOT NULL DEFAULT 'unknown';
  CREATE TABLE daily_outcomes (
    day TEXT NOT NULL,
    harness TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    episodes INTEGER NOT NULL,
    stuck_ms INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL,
    PRIMARY KEY (day, harness, reason, outcome)
  ) STRICT;
  INSERT INTO daily_outcomes
    SELECT day, harness, reason, 'unknown', episodes, stuck_ms, longest_ms FROM daily_stats;
  DROP TABLE daily_stats;
  ALTER TABLE daily_outcomes RENAME TO daily_stats;
  `,
  `
  -- Only a trigger says what its runtime is doing for it.
  UPDATE runtimes SET record = ${UPGRADED_RUNTIME};
  UPDATE runtimes SET status = coalesce(record ->> '$.status', status) WHERE json_valid(record);
  `,
  `
  -- Each state of a trigger has only its own data.
  UPDATE triggers SET record = ${UPGRADED_TRIGGER};
  `,
  `
  -- The pane of a runtime has the names that every pane has.
  UPDATE runtimes SET record = ${UPGRADED_RUNTIME};
  `,
  `
  -- What the last process of each runtime left on its screen, without secrets.
  CREATE TABLE runtime_screens (
    runtime_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What askers without a prompt of their own want to know from the operator.
  CREATE TABLE decisions (
    decision_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    settled_at INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX decisions_by_settling ON decisions (settled_at);
  `,
  `
  CREATE TABLE notices (notice_id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE mutes (mute_id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  `,
]
