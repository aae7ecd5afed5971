/** Each runs once, in order, in a transaction of its own; `user_version` says how many have run. */
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
]
