import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stored responses that refer instead of copying and are bounded per account, and what retention of attempts needs. */
export class StorageLimits1790000020100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE idempotent_answers
  -- null: body is the response; else body is the id of what the response is made from
  ADD COLUMN kind text,
  ADD COLUMN bytes integer GENERATED ALWAYS AS (octet_length(body)) STORED,
  -- null: the response was dropped to make room; the key still stands for its request
  ALTER COLUMN body DROP NOT NULL;
CREATE INDEX idempotent_answers_large_idx ON idempotent_answers (account_id, created_at DESC) INCLUDE (bytes) WHERE bytes > 4096;

CREATE INDEX quiz_attempts_player_idx ON quiz_attempts (quiz_id, account_id, player);
CREATE INDEX quiz_attempts_submitted_idx ON quiz_attempts (submitted_at) WHERE submitted_at IS NOT NULL;
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP INDEX quiz_attempts_player_idx, quiz_attempts_submitted_idx, idempotent_answers_large_idx;
DELETE FROM idempotent_answers WHERE body IS NULL OR kind IS NOT NULL;
ALTER TABLE idempotent_answers DROP COLUMN kind, DROP COLUMN bytes, ALTER COLUMN body SET NOT NULL;
`);
  }
}
