-- Attempts at a quiz that are being scored again (src/play/regrade). The row is deleted with the last of them.
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
-- What the version before has left to the worker. It may keep running for a while: the worker takes over what it leaves then
-- (findRegradeInColumn).
INSERT INTO quiz_regrades (quiz_id, snapshot_ids, question_ids, worker_from)
SELECT s.quiz_id, array_agg(DISTINCT s.id), array_agg(DISTINCT question), now()
FROM quiz_snapshots s, unnest(s.regrade) AS question
WHERE s.quiz_id IS NOT NULL GROUP BY s.quiz_id;
UPDATE quiz_snapshots SET regrade = NULL WHERE regrade IS NOT NULL;
