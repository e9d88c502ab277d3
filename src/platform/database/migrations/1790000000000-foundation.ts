import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of Access, Catalog, Authoring and the outbox. Shapes that keep reads flat at every size
 * (docs/adr/0003): a generated `is_public` with partial indexes for each of two disjoint visibility
 * arms, answers as jsonb on the question, the quiz's visibility, owner and category copied to its
 * questions and tags, and counters for every total.
 */
export class Foundation1790000000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE plan AS ENUM ('free', 'starter', 'pro');
CREATE TYPE difficulty AS ENUM ('EASY', 'MEDIUM', 'HARD', 'EXPERT');
CREATE TYPE question_type AS ENUM ('MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED');
CREATE TYPE approval AS ENUM ('pending', 'approved', 'rejected');

-- Access ------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  id uuid CONSTRAINT accounts_pkey PRIMARY KEY,
  email text NOT NULL,
  -- lower case; what "the same address" means
  email_key text COLLATE "C" NOT NULL CONSTRAINT accounts_email_key UNIQUE,
  plan plan NOT NULL,
  is_admin boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  disabled_at timestamptz
);

CREATE TABLE api_keys (
  id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT api_keys_account_fkey REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  -- SHA-256 of the whole key; the key itself is never stored
  hash bytea NOT NULL CONSTRAINT api_keys_hash_key UNIQUE,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX api_keys_account_idx ON api_keys (account_id);

-- Catalog -----------------------------------------------------------------------------------------

CREATE TABLE topics (
  id uuid CONSTRAINT topics_pkey PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL CONSTRAINT topics_slug_key UNIQUE,
  icon text,
  position integer NOT NULL
);

CREATE TABLE categories (
  id uuid CONSTRAINT categories_pkey PRIMARY KEY,
  topic_id uuid NOT NULL CONSTRAINT categories_topic_fkey REFERENCES topics ON DELETE RESTRICT,
  name text NOT NULL,
  -- folded name: a quiz's flat category is linked by it
  name_key text COLLATE "C" NOT NULL CONSTRAINT categories_name_key UNIQUE,
  slug text NOT NULL CONSTRAINT categories_slug_key UNIQUE,
  position integer NOT NULL
);
CREATE INDEX categories_topic_idx ON categories (topic_id, position);

CREATE TABLE quizzes (
  id uuid CONSTRAINT quizzes_pkey PRIMARY KEY,
  owner_id uuid NOT NULL CONSTRAINT quizzes_owner_fkey REFERENCES accounts ON DELETE RESTRICT,
  title text NOT NULL CONSTRAINT quizzes_title_length CHECK (char_length(title) BETWEEN 1 AND 200),
  title_sort text COLLATE "C" NOT NULL,
  description text CONSTRAINT quizzes_description_length CHECK (char_length(description) <= 2000),
  category text CONSTRAINT quizzes_category_length CHECK (char_length(category) <= 100),
  -- '' where the quiz has no category
  category_key text COLLATE "C" NOT NULL,
  category_id uuid CONSTRAINT quizzes_category_fkey REFERENCES categories ON DELETE SET NULL,
  difficulty difficulty NOT NULL,
  tags text[] NOT NULL,
  tag_keys text[] COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL CONSTRAINT quizzes_slug_key UNIQUE,
  published boolean NOT NULL,
  approval approval NOT NULL,
  rejection_reason text,
  is_public boolean NOT NULL GENERATED ALWAYS AS (published AND approval = 'approved') STORED,
  -- when the quiz first became publicly accessible: quiz.published is sent once
  first_public_at timestamptz,
  featured boolean NOT NULL,
  plays bigint NOT NULL DEFAULT 0,
  question_count integer NOT NULL DEFAULT 0,
  -- questions by difficulty (4) and type (3), row by row: what this quiz adds to question_counts
  question_mix integer[] NOT NULL DEFAULT '{0,0,0,0,0,0,0,0,0,0,0,0}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- The public arm: one index for each order, alone and within a category.
CREATE INDEX quizzes_popular_idx ON quizzes (plays DESC, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_newest_idx ON quizzes (created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_title_idx ON quizzes (title_sort, id) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_popular_idx ON quizzes (category_key, plays DESC, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_newest_idx ON quizzes (category_key, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_title_idx ON quizzes (category_key, title_sort, id) INCLUDE (difficulty) WHERE is_public;
-- The private arm, and the quota's count.
CREATE INDEX quizzes_private_idx ON quizzes (owner_id) WHERE NOT is_public;
CREATE INDEX quizzes_owner_idx ON quizzes (owner_id, created_at DESC);
CREATE INDEX quizzes_review_idx ON quizzes (created_at) WHERE published AND approval = 'pending';

-- Beside the quiz and not on it: a play then rewrites a small row and no trigram index.
CREATE TABLE quiz_search (
  quiz_id uuid CONSTRAINT quiz_search_pkey PRIMARY KEY CONSTRAINT quiz_search_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  -- folded title, description and tags, one a line
  content text NOT NULL
);
CREATE INDEX quiz_search_content_idx ON quiz_search USING gin (content gin_trgm_ops);

-- Derived from quizzes by trigger.
CREATE TABLE quiz_tags (
  tag_key text COLLATE "C" NOT NULL,
  quiz_id uuid NOT NULL CONSTRAINT quiz_tags_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  is_public boolean NOT NULL,
  owner_id uuid NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  difficulty difficulty NOT NULL,
  CONSTRAINT quiz_tags_pkey PRIMARY KEY (quiz_id, tag_key)
);
CREATE INDEX quiz_tags_public_idx ON quiz_tags (tag_key, quiz_id) INCLUDE (category_key, difficulty) WHERE is_public;
CREATE INDEX quiz_tags_private_idx ON quiz_tags (owner_id, tag_key, quiz_id) WHERE NOT is_public;

CREATE TABLE questions (
  id uuid CONSTRAINT questions_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL CONSTRAINT questions_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  -- the specification's "order": 1, 2, 3, … without a gap
  position integer NOT NULL,
  text text NOT NULL,
  type question_type NOT NULL,
  difficulty difficulty NOT NULL,
  explanation text,
  -- [{id, text, isCorrect}, …] in order
  answers jsonb NOT NULL,
  -- of the folded text and answers: the same question again is found by it
  fingerprint uuid NOT NULL,
  -- a place in the one fixed shuffle of all questions (random=true)
  shuffle double precision NOT NULL,
  -- copies of the quiz's, so that browsing needs no join to decide what is visible
  is_public boolean NOT NULL,
  owner_id uuid NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  CONSTRAINT questions_position_key UNIQUE (quiz_id, position) DEFERRABLE INITIALLY IMMEDIATE
);
CREATE INDEX questions_order_idx ON questions (quiz_id, position) INCLUDE (category_key, difficulty, type) WHERE is_public;
CREATE INDEX questions_facets_idx ON questions (category_key, difficulty, type, quiz_id, position) WHERE is_public;
CREATE INDEX questions_shuffle_idx ON questions (shuffle) INCLUDE (category_key, difficulty, type) WHERE is_public;
CREATE INDEX questions_facets_shuffle_idx ON questions (category_key, difficulty, type, shuffle) WHERE is_public;
CREATE INDEX questions_fingerprint_idx ON questions (owner_id, fingerprint);
CREATE INDEX questions_private_idx ON questions (owner_id, quiz_id, position) WHERE NOT is_public;

-- Counters of what everybody may see, kept in the transaction of each change ---------------------------

CREATE TABLE quiz_counts (
  category_key text COLLATE "C" NOT NULL,
  difficulty difficulty NOT NULL,
  -- as it is written, for people; null where there is no category
  category text,
  quizzes bigint NOT NULL,
  CONSTRAINT quiz_counts_pkey PRIMARY KEY (category_key, difficulty)
);
CREATE TABLE question_counts (
  category_key text COLLATE "C" NOT NULL,
  difficulty difficulty NOT NULL,
  type question_type NOT NULL,
  questions bigint NOT NULL,
  CONSTRAINT question_counts_pkey PRIMARY KEY (category_key, difficulty, type)
);
CREATE TABLE tag_counts (
  tag_key text COLLATE "C" CONSTRAINT tag_counts_pkey PRIMARY KEY,
  tag text NOT NULL,
  quizzes bigint NOT NULL
);
CREATE INDEX tag_counts_popular_idx ON tag_counts (quizzes DESC, tag_key);
CREATE TABLE category_tag_counts (
  category_key text COLLATE "C" NOT NULL,
  tag_key text COLLATE "C" NOT NULL,
  quizzes bigint NOT NULL,
  CONSTRAINT category_tag_counts_pkey PRIMARY KEY (category_key, tag_key)
);
CREATE INDEX category_tag_counts_popular_idx ON category_tag_counts (category_key, quizzes DESC, tag_key);

-- Events ------------------------------------------------------------------------------------------

CREATE TABLE outbox_events (
  id uuid CONSTRAINT outbox_events_pkey PRIMARY KEY,
  name text NOT NULL,
  -- the account whose endpoints receive the event
  account_id uuid NOT NULL,
  -- the whole envelope as it is signed and sent: text, since jsonb would reorder keys and rewrite numbers
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  relayed_at timestamptz
);
CREATE INDEX outbox_events_waiting_idx ON outbox_events (id) WHERE relayed_at IS NULL;
`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('The first migration cannot be undone: drop the database.'));
  }
}
