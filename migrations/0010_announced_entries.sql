-- leaderboard.updated is sent after the submission, once for all entries that have reached the top meanwhile
-- (src/play/leaderboard/leaderboard.service.ts). Entries of processes of the former version are announced already.
ALTER TABLE leaderboard_entries ADD COLUMN announced boolean NOT NULL DEFAULT true;
CREATE INDEX leaderboard_entries_unannounced_idx ON leaderboard_entries (quiz_id) WHERE NOT announced;
