import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a reviewer has approved is kept, so that a later edit shows as a difference: a quiz was approved as "Nice rivers"
 * and then rewritten into an advertisement. The trigger notices every edit, since each one sets `updated_at`.
 */
export class ApprovedVersions1790000025000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE TABLE approved_versions (
  quiz_id uuid CONSTRAINT approved_versions_pkey PRIMARY KEY
    CONSTRAINT approved_versions_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  content jsonb NOT NULL,
  approved_at timestamptz NOT NULL
);
ALTER TABLE quizzes ADD COLUMN changed_since_approval_at timestamptz;
CREATE FUNCTION note_change_since_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM approved_versions WHERE quiz_id = NEW.id) THEN
    NEW.changed_since_approval_at := coalesce(OLD.changed_since_approval_at, NEW.updated_at);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER quizzes_change_since_approval BEFORE UPDATE OF updated_at ON quizzes FOR EACH ROW
  WHEN (OLD.approval = 'approved' AND NEW.approval = 'approved' AND NEW.published = OLD.published
        AND NEW.updated_at IS DISTINCT FROM OLD.updated_at)
  EXECUTE FUNCTION note_change_since_approval();`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP TRIGGER quizzes_change_since_approval ON quizzes;
DROP FUNCTION note_change_since_approval();
ALTER TABLE quizzes DROP COLUMN changed_since_approval_at;
DROP TABLE approved_versions;`);
  }
}

/** Apart from the new column, whose lock keeps readers waiting: an index of a large table takes a while. */
export class ChangedQuizzesIndex1790000025500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE INDEX quizzes_changed_since_approval_idx ON quizzes (changed_since_approval_at, id)
  WHERE changed_since_approval_at IS NOT NULL`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX quizzes_changed_since_approval_idx`);
  }
}
