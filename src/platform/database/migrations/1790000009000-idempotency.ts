import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answers of requests that carried an Idempotency-Key. */
export class Idempotency1790000009000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE TABLE idempotent_answers (
  -- no foreign key: it would lock the account's row, for which an import otherwise need not wait
  account_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- SHA-256 of method, path and body
  fingerprint bytea NOT NULL,
  -- text and not jsonb: the answer is repeated with its fields in their order
  body text NOT NULL,
  location text,
  created_at timestamptz NOT NULL,
  CONSTRAINT idempotent_answers_pkey PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotent_answers_created_idx ON idempotent_answers (created_at);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE idempotent_answers');
  }
}
