-- An account that is deleted keeps its row, without anything personal: attempts, kept quizzes and audit entries refer to
-- it. Until `deletion` is null again, the worker deletes in batches what belongs to it.
ALTER TABLE accounts
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN deletion text CONSTRAINT accounts_deletion_known CHECK (deletion IN ('delete', 'keep')),
  -- An address that waits for its confirmation by the link that was sent there.
  ADD COLUMN new_email text,
  -- of the token in that link
  ADD COLUMN new_email_hash bytea,
  ADD COLUMN new_email_at timestamptz;
CREATE INDEX accounts_deletion_idx ON accounts (deleted_at) WHERE deletion IS NOT NULL;
CREATE UNIQUE INDEX accounts_new_email_key ON accounts (new_email_hash);
