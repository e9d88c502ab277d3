import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Players taken from leaderboards, and what is needed to find what deleted quizzes have left behind. */
export class LeaderboardCare1790000011000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- Set: this player is not shown, with this attempt or a better one.
ALTER TABLE leaderboard_entries ADD COLUMN hidden_at timestamptz;
DROP INDEX leaderboard_entries_rank_idx;
CREATE INDEX leaderboard_entries_rank_idx
  ON leaderboard_entries (quiz_id, score DESC, time_spent, reached_at, attempt_id) INCLUDE (account_id, player)
  WHERE hidden_at IS NULL;

-- Deleting an edition looks for its attempts, and so does the sweep.
CREATE INDEX quiz_attempts_edition_idx ON quiz_attempts (edition_id);
CREATE INDEX quiz_editions_quiz_idx ON quiz_editions (quiz_id);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP INDEX quiz_editions_quiz_idx, quiz_attempts_edition_idx, leaderboard_entries_rank_idx;
ALTER TABLE leaderboard_entries DROP COLUMN hidden_at;
CREATE INDEX leaderboard_entries_rank_idx
  ON leaderboard_entries (quiz_id, score DESC, time_spent, reached_at, attempt_id) INCLUDE (account_id, player);
`);
  }
}
