import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the foreign key of quiz_search, which the next migration replaces. In that one it would come last and need the
 * strongest lock on quizzes, which whoever creates a quiz has in part: a deadlock each time. Here it comes first.
 */
export class SearchUntied1790000015500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
DO $$ BEGIN
  -- Databases of developers may have the next migration already.
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'quiz_search'::regclass AND attname = 'is_public') THEN
    LOCK TABLE quizzes, quiz_search IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE quiz_search DROP CONSTRAINT quiz_search_quiz_fkey;
  END IF;
END $$;`);
  }

  /** Its entries of quizzes that were deleted meanwhile go, and it is tied again. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE quiz_search DROP CONSTRAINT IF EXISTS quiz_search_quiz_fkey;
DELETE FROM quiz_search WHERE NOT EXISTS (SELECT FROM quizzes WHERE id = quiz_id);
ALTER TABLE quiz_search ADD CONSTRAINT quiz_search_quiz_fkey FOREIGN KEY (quiz_id) REFERENCES quizzes ON DELETE CASCADE;`);
  }
}
