-- Attempts at a quiz that are being scored again (src/play/regrade). The row is deleted with the last of them.
-- It replaces quiz_snapshots.regrade, which 0091 drops.
CREATE TABLE quiz_regrades (
  quiz_id uuid CONSTRAINT quiz_regrades_pkey PRIMARY KEY,
  -- The snapshots whose attempts are left.
  snapshot_ids uuid[] NOT NULL,
  -- The questions whose present key decides.
  question_ids uuid[] NOT NULL,
  -- What was scored again until now.
  attempts integer NOT NULL DEFAULT 0,
  changed integer NOT NULL DEFAULT 0,
  -- From this time on the worker scores them.
  worker_from timestamptz NOT NULL
);
