import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which quizzes an import has made or added to, for its report. */
export class ImportQuizzes1790000012000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE TABLE import_quizzes (
  import_id uuid NOT NULL CONSTRAINT import_quizzes_import_fkey REFERENCES imports ON DELETE CASCADE,
  -- no foreign key: the report also names a quiz that was deleted afterwards
  quiz_id uuid NOT NULL,
  -- of its first question in the file, for the order
  number integer NOT NULL,
  -- as they were then
  title text NOT NULL,
  slug text NOT NULL,
  -- how many it got from this import
  questions integer NOT NULL,
  CONSTRAINT import_quizzes_pkey PRIMARY KEY (import_id, quiz_id)
);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE import_quizzes;`);
  }
}
