import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who writes counters does so alone, from the first row to the end of the commit. A transaction that changes
 * several quizzes takes the counters' rows quiz by quiz, so two of them could wait for each other; one that
 * waits for its turn holds no row that another needs. It is also what `quizctl counters rebuild` holds.
 */
export class CountersInTurn1790000006000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- The number of the advisory lock: any that no other user of such locks in this database takes.
CREATE FUNCTION counters_lock() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 7311093550267;

CREATE FUNCTION quizzes_counters_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(counters_lock());
  RETURN NULL;
END $$;
-- Triggers of one event run by name: these before quizzes_count_….
CREATE CONSTRAINT TRIGGER quizzes_a_turn_on_insert AFTER INSERT ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.is_public) EXECUTE FUNCTION quizzes_counters_turn();
CREATE CONSTRAINT TRIGGER quizzes_a_turn_on_delete AFTER DELETE ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_public) EXECUTE FUNCTION quizzes_counters_turn();
CREATE CONSTRAINT TRIGGER quizzes_a_turn_on_update
  AFTER UPDATE OF published, approval, category, category_key, difficulty, tags, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_public OR NEW.is_public) EXECUTE FUNCTION quizzes_counters_turn();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP FUNCTION quizzes_counters_turn() CASCADE;
DROP FUNCTION counters_lock();
`);
  }
}
