LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE questions IN ACCESS EXCLUSIVE MODE;
-- Pictures of questions. An id is random, so that nobody finds the pictures of drafts by trying.
CREATE TABLE media (
  id uuid CONSTRAINT media_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT media_account_fkey REFERENCES accounts ON DELETE CASCADE,
  -- of content
  sha256 bytea NOT NULL,
  type text NOT NULL
    CONSTRAINT media_type_known CHECK (type IN ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif')),
  width integer NOT NULL,
  height integer NOT NULL,
  bytes integer NOT NULL,
  -- without metadata
  content bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- null while questions show it
  unused_since timestamptz,
  -- The same picture is stored once in each account.
  CONSTRAINT media_content_key UNIQUE (account_id, sha256)
);
-- Pictures are compressed already.
ALTER TABLE media ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX media_unused_idx ON media (unused_since) WHERE unused_since IS NOT NULL;
-- The pictures that the texts of a question show; null: none.
ALTER TABLE questions ADD COLUMN media uuid[];
