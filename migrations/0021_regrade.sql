-- The questions whose present key decides the scores of this snapshot's attempts again, until the worker has done it
-- (src/play/regrade). Null: none was asked for.
ALTER TABLE quiz_snapshots ADD COLUMN regrade uuid[];
CREATE INDEX quiz_snapshots_regrade_idx ON quiz_snapshots (quiz_id) WHERE regrade IS NOT NULL;
