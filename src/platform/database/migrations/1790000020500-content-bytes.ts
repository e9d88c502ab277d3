import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts what quizzes and accounts hold. Apart from the columns, so that readers wait for none of it. */
export class ContentBytes1790000020500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
LOCK TABLE accounts, quizzes, questions IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE quizzes DISABLE TRIGGER quizzes_bytes_on_update;
UPDATE quizzes SET content_bytes = bytes
FROM (SELECT quiz_id, sum(question_bytes(text, explanation, answers)) AS bytes FROM questions GROUP BY quiz_id) AS held
WHERE quiz_id = id AND content_bytes <> bytes;
ALTER TABLE quizzes ENABLE TRIGGER quizzes_bytes_on_update;
UPDATE accounts SET content_bytes = bytes
FROM (SELECT owner_id, sum(content_bytes) AS bytes FROM quizzes GROUP BY owner_id) AS held
WHERE owner_id = id AND content_bytes <> bytes;`);
  }

  /** The columns go with the migration before. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
