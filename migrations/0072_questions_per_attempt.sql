-- How many questions each attempt draws from its quiz; null: all of them.
ALTER TABLE quizzes ADD COLUMN questions_per_attempt integer
  CONSTRAINT quizzes_questions_per_attempt_range CHECK (questions_per_attempt BETWEEN 1 AND 1000);

-- As the quiz had it at the start of the attempt.
ALTER TABLE quiz_attempts ADD COLUMN questions_per_attempt integer;

-- Of the attempt; 0: all. A leaderboard compares attempts of one size.
ALTER TABLE leaderboard_entries ADD COLUMN questions_per_attempt integer NOT NULL DEFAULT 0;
DROP INDEX leaderboard_entries_rank_idx;
CREATE INDEX leaderboard_entries_rank_idx
  ON leaderboard_entries (quiz_id, questions_per_attempt, score DESC, time_spent, reached_at, attempt_id)
  INCLUDE (account_id, player) WHERE hidden_at IS NULL;
