import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of question files as rows that any worker can go on with, and where a question is from. */
export class Imports1790000005000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE questions
  -- where the question is from and under which licence, for exports; null: not told
  ADD COLUMN source text,
  ADD COLUMN licence text;

CREATE TABLE imports (
  id uuid CONSTRAINT imports_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT imports_account_fkey REFERENCES accounts ON DELETE CASCADE,
  state text NOT NULL CONSTRAINT imports_state_known CHECK
    (state IN ('receiving', 'waiting', 'running', 'completed', 'stopped', 'failed', 'cancelled')),
  dry_run boolean NOT NULL,
  -- no foreign key: without its quiz the import stops, and does not make others
  quiz_id uuid,
  file_name text NOT NULL,
  -- as it was asked for, then as it was recognised
  format text,
  -- {difficulty, published, source, licence}
  options jsonb NOT NULL,
  -- bytes, and how many of them were read
  size bigint NOT NULL DEFAULT 0,
  read bigint NOT NULL DEFAULT 0,
  -- import_pieces hold the file; else only the process that began can read it
  stored boolean NOT NULL,
  -- when the file was read to its end: from then on only import_questions are needed
  checked_at timestamptz,
  -- rows of the file; those among them that can be imported; and what became of them
  rows integer NOT NULL DEFAULT 0,
  fresh integer NOT NULL DEFAULT 0,
  duplicates integer NOT NULL DEFAULT 0,
  near integer NOT NULL DEFAULT 0,
  faults integer NOT NULL DEFAULT 0,
  notes integer NOT NULL DEFAULT 0,
  imported integer NOT NULL DEFAULT 0,
  quizzes integer NOT NULL DEFAULT 0,
  -- why it ended early, for people
  error text,
  -- who may write, and until when
  token uuid,
  leased_until timestamptz,
  -- how often it was taken up since it last got on
  tries integer NOT NULL DEFAULT 0,
  -- when a worker is to look at it; null: nothing to do
  wake_at timestamptz,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX imports_account_idx ON imports (account_id, id DESC);
CREATE INDEX imports_wake_idx ON imports (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX imports_created_idx ON imports (created_at);

-- The uploaded file, where every worker can read it. Gone once it was read to its end.
CREATE TABLE import_pieces (
  import_id uuid NOT NULL CONSTRAINT import_pieces_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT import_pieces_pkey PRIMARY KEY (import_id, number)
);
-- Already as small as questions get, or packed.
ALTER TABLE import_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- A quiz or a category of a file.
CREATE TABLE import_parts (
  import_id uuid NOT NULL CONSTRAINT import_parts_import_fkey REFERENCES imports ON DELETE CASCADE,
  -- of the file and the quiz within it
  key uuid NOT NULL,
  -- of its first row, for the order
  number integer NOT NULL,
  file text NOT NULL,
  -- {title, description, category, difficulty, tags} as far as the file tells
  quiz jsonb NOT NULL,
  rows integer NOT NULL,
  imported integer NOT NULL DEFAULT 0,
  -- the quiz that takes the next question, and how many it took from here
  quiz_id uuid,
  held integer NOT NULL DEFAULT 0,
  CONSTRAINT import_parts_pkey PRIMARY KEY (import_id, key)
);

-- Questions that were read and not written yet. Writing takes them away in the same transaction.
CREATE TABLE import_questions (
  import_id uuid NOT NULL CONSTRAINT import_questions_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  part uuid NOT NULL,
  line integer NOT NULL,
  question jsonb NOT NULL,
  fingerprint uuid NOT NULL,
  CONSTRAINT import_questions_pkey PRIMARY KEY (import_id, number)
);
CREATE INDEX import_questions_fingerprint_idx ON import_questions (import_id, fingerprint);

-- What is said of rows: the report.
CREATE TABLE import_remarks (
  import_id uuid NOT NULL CONSTRAINT import_remarks_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  kind text NOT NULL,
  file text NOT NULL,
  line integer NOT NULL,
  path text,
  message text NOT NULL,
  CONSTRAINT import_remarks_pkey PRIMARY KEY (import_id, number)
);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP TABLE import_remarks, import_questions, import_parts, import_pieces, imports;
ALTER TABLE questions DROP COLUMN source, DROP COLUMN licence;
`);
  }
}
