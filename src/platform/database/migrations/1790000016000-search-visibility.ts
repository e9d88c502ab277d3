import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is searched says whether it is public, so that the total of a topic is counted without a look at each quiz:
 * of a word that every quiz has, at a million, two thirds of the time. The table is written anew: a million updates
 * would leave its trigram index twice as large.
 */
export class SearchVisibility1790000016000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
LOCK TABLE quizzes, quiz_search IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE quiz_search_anew AS
  SELECT quiz_id, content, is_public FROM quiz_search JOIN quizzes ON id = quiz_id;
${replaceBy('quiz_search_anew')}
ALTER TABLE quiz_search ALTER COLUMN is_public SET NOT NULL;

-- Follows its quiz, as the other copies do (quizzes_copy).
CREATE FUNCTION quiz_search_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_public := (SELECT is_public FROM quizzes WHERE id = NEW.quiz_id);
  RETURN NEW;
END $$;
CREATE TRIGGER quiz_search_copy_on_insert BEFORE INSERT ON quiz_search
  FOR EACH ROW EXECUTE FUNCTION quiz_search_copy();
CREATE FUNCTION quizzes_copy_to_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE quiz_search SET is_public = NEW.is_public WHERE quiz_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER quizzes_copy_to_search AFTER UPDATE OF published, approval ON quizzes
  FOR EACH ROW WHEN (OLD.is_public <> NEW.is_public) EXECUTE FUNCTION quizzes_copy_to_search();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP FUNCTION quizzes_copy_to_search() CASCADE;
DROP FUNCTION quiz_search_copy() CASCADE;
CREATE TABLE quiz_search_before AS SELECT quiz_id, content FROM quiz_search;
${replaceBy('quiz_search_before')}
`);
  }
}

/** Readers wait only for the exchange, not while the index is built. */
function replaceBy(table: string): string {
  return `
ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (quiz_id),
  ADD CONSTRAINT quiz_search_quiz_fkey FOREIGN KEY (quiz_id) REFERENCES quizzes ON DELETE CASCADE;
CREATE INDEX ${table}_content_idx ON ${table} USING gin (content gin_trgm_ops);
ANALYZE ${table};
DROP TABLE quiz_search;
ALTER TABLE ${table} RENAME TO quiz_search;
ALTER INDEX ${table}_pkey RENAME TO quiz_search_pkey;
ALTER INDEX ${table}_content_idx RENAME TO quiz_search_content_idx;
ALTER TABLE quiz_search ALTER COLUMN content SET NOT NULL;`;
}
