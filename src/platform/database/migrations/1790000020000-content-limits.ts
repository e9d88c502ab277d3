import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How much each quiz and each account holds, and limits on new texts. Questions that were stored before may be
 * longer: they can still be published, moved and deleted, which a CHECK constraint would refuse.
 */
export class ContentLimits1790000020000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- The same as questionBytes (src/authoring/question.rules.ts).
CREATE FUNCTION question_bytes(text text, explanation text, answers jsonb) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN 200 + octet_length(text) + coalesce(octet_length(explanation), 0)
  + (SELECT coalesce(sum(100 + octet_length(answer ->> 'text')), 0) FROM jsonb_array_elements(answers) AS answer);

LOCK TABLE accounts, quizzes, questions IN ACCESS EXCLUSIVE MODE;
-- The next migration counts what is there.
ALTER TABLE quizzes ADD COLUMN content_bytes integer NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN content_bytes bigint NOT NULL DEFAULT 0;

-- The account's bytes follow its quizzes. Writers lock the account before the quiz.
CREATE FUNCTION quizzes_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET content_bytes = content_bytes + coalesce(NEW.content_bytes, 0) - OLD.content_bytes
  WHERE id = OLD.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER quizzes_bytes_on_update AFTER UPDATE OF content_bytes ON quizzes
  FOR EACH ROW WHEN (OLD.content_bytes <> NEW.content_bytes) EXECUTE FUNCTION quizzes_bytes();
CREATE TRIGGER quizzes_bytes_on_delete AFTER DELETE ON quizzes
  FOR EACH ROW WHEN (OLD.content_bytes <> 0) EXECUTE FUNCTION quizzes_bytes();

CREATE FUNCTION questions_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING MESSAGE = 'A question exceeds the limits of its texts.', CONSTRAINT = 'questions_limits';
END $$;
CREATE TRIGGER questions_limits BEFORE INSERT OR UPDATE OF text, explanation, answers ON questions FOR EACH ROW
  WHEN (char_length(NEW.text) > 4000 OR char_length(NEW.explanation) > 4000 OR jsonb_array_length(NEW.answers) > 60)
  EXECUTE FUNCTION questions_limits();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP FUNCTION questions_limits() CASCADE;
DROP FUNCTION quizzes_bytes() CASCADE;
ALTER TABLE accounts DROP COLUMN content_bytes;
ALTER TABLE quizzes DROP COLUMN content_bytes;
DROP FUNCTION question_bytes(text, text, jsonb);
`);
  }
}
