import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What signing in to the dashboard needs: passwords, sessions, the limits of guessing, the audit log. */
export class Dashboard1790000004000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE accounts
  -- argon2id in PHC form; null: nobody can sign in to it
  ADD COLUMN password_hash text,
  -- in the dashboard, to the minute
  ADD COLUMN last_seen_at timestamptz;

CREATE TABLE sessions (
  id uuid CONSTRAINT sessions_pkey PRIMARY KEY,
  -- SHA-256 of the cookie's value: who reads the database cannot sign in with it
  token_hash bytea NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE,
  account_id uuid NOT NULL CONSTRAINT sessions_account_fkey REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  user_agent text NOT NULL,
  address text NOT NULL,
  -- a sentence for the next page, after a redirect
  notice text
);
CREATE INDEX sessions_account_idx ON sessions (account_id);
CREATE INDEX sessions_created_idx ON sessions (created_at);

-- Guesses in a window, by what is guessed or who guesses. Shared by all processes.
CREATE TABLE attempt_limits (
  key text COLLATE "C" CONSTRAINT attempt_limits_pkey PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX attempt_limits_ends_idx ON attempt_limits (ends_at);

-- The link with which a newcomer becomes the first administrator: one at most.
CREATE TABLE set_up_links (
  token_hash bytea CONSTRAINT set_up_links_pkey PRIMARY KEY,
  created_at timestamptz NOT NULL
);

CREATE TABLE audit_entries (
  id uuid CONSTRAINT audit_entries_pkey PRIMARY KEY,
  at timestamptz NOT NULL,
  -- no foreign key: the entry outlives the account, and so does the address beside it
  actor_id uuid NOT NULL,
  actor_email text NOT NULL,
  -- what was done: account.plan-changed
  action text NOT NULL,
  -- what it was done to: its kind, its id, and its name at that time
  object_kind text NOT NULL,
  object_id text NOT NULL,
  object_name text NOT NULL,
  -- before and after, or the reason, in words
  detail text NOT NULL
);
CREATE INDEX audit_entries_object_idx ON audit_entries (object_id, id DESC);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP TABLE audit_entries, set_up_links, attempt_limits, sessions;
ALTER TABLE accounts DROP COLUMN password_hash, DROP COLUMN last_seen_at;
`);
  }
}
