-- The schema of version 0.9.0. See migrations/README.md for how migrations are written and run, docs/schema.sql for the
-- schema as a whole, and functions.sql for the triggers that maintain derived data.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE plan AS ENUM ('free', 'starter', 'pro');
CREATE TYPE difficulty AS ENUM ('EASY', 'MEDIUM', 'HARD', 'EXPERT');
CREATE TYPE question_type AS ENUM ('MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED');
CREATE TYPE approval AS ENUM ('pending', 'approved', 'rejected');

-- Kinds of questions, numbered from 1: every column counts_by_kind has one element for each.
CREATE VIEW question_kinds AS
SELECT difficulty, type, (row_number() OVER (ORDER BY difficulty, type))::integer AS index
FROM unnest(enum_range(NULL::difficulty)) AS difficulty, unnest(enum_range(NULL::question_type)) AS type;
CREATE FUNCTION no_counts() RETURNS integer[] LANGUAGE sql STABLE
  RETURN ARRAY(SELECT 0 FROM question_kinds);

-- Access ------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  id uuid CONSTRAINT accounts_pkey PRIMARY KEY,
  email text NOT NULL,
  -- lower case: two spellings of one address are the same account
  email_key text COLLATE "C" NOT NULL CONSTRAINT accounts_email_key UNIQUE,
  -- argon2id in PHC form; null: nobody can sign in to the dashboard as this account
  password_hash text,
  plan plan NOT NULL,
  -- the plan that its user has asked an administrator for
  requested_plan plan,
  is_admin boolean NOT NULL DEFAULT false,
  -- web origins that may show its quizzes in a frame; {*}: any
  embed_origins text[] NOT NULL DEFAULT '{}',
  -- the sum over its quizzes, for the storage quota
  content_bytes bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  -- in the dashboard, to the minute
  last_seen_at timestamptz,
  disabled_at timestamptz,
  -- whether its notices are sent by e-mail too
  mails boolean NOT NULL DEFAULT true
);

CREATE INDEX accounts_requested_idx ON accounts (id) WHERE requested_plan IS NOT NULL;

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
  last_used_at timestamptz,
  -- what the key may do (src/access/accounts/scope.rules.ts)
  scopes text[] NOT NULL DEFAULT '{read,write,publish,webhooks,play}'
    CONSTRAINT api_keys_scopes_check
    CHECK (cardinality(scopes) > 0 AND scopes <@ '{read,write,publish,webhooks,play}'),
  -- web origins whose pages may use the key; empty: any
  origins text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX api_keys_account_idx ON api_keys (account_id);

CREATE TABLE sessions (
  id uuid CONSTRAINT sessions_pkey PRIMARY KEY,
  -- SHA-256 of the cookie's value: a reader of the database cannot sign in with it
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

-- Failed guesses in a window, by what is guessed or who guesses. Shared by all processes.
CREATE TABLE attempt_limits (
  key text COLLATE "C" CONSTRAINT attempt_limits_pkey PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX attempt_limits_ends_idx ON attempt_limits (ends_at);

-- The link that creates the first administrator, and links by which accounts set a password: at most one for each.
CREATE TABLE one_time_links (
  token_hash bytea CONSTRAINT one_time_links_pkey PRIMARY KEY,
  -- null: the first administrator's
  account_id uuid CONSTRAINT one_time_links_account_key UNIQUE
    CONSTRAINT one_time_links_account_fkey REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL
);

-- What has happened to something that an account owns, for its user to read.
CREATE TABLE notices (
  id uuid CONSTRAINT notices_pkey PRIMARY KEY,
  -- no foreign key: it would lock the account's row after those of quizzes and endpoints
  account_id uuid NOT NULL,
  title text NOT NULL,
  detail text NOT NULL,
  -- of the page about it
  path text NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz,
  -- when its e-mail is next tried; null: it was sent, or is not wanted
  mail_at timestamptz
);
CREATE INDEX notices_account_idx ON notices (account_id, id DESC);
CREATE INDEX notices_unread_idx ON notices (account_id) WHERE read_at IS NULL;
CREATE INDEX notices_mail_idx ON notices (created_at) WHERE mail_at IS NOT NULL;

-- Append-only (audit_entries_keep): deleted only by retention, after a year.
CREATE TABLE audit_entries (
  id uuid CONSTRAINT audit_entries_pkey PRIMARY KEY,
  at timestamptz NOT NULL,
  -- no foreign key: the entry outlives the account, and so does the address beside it
  actor_id uuid NOT NULL,
  actor_email text NOT NULL,
  -- for example account.plan-changed
  action text NOT NULL,
  -- the object's kind, id, and its name at that time
  object_kind text NOT NULL,
  object_id text NOT NULL,
  object_name text NOT NULL,
  -- before and after, or the reason, for people
  detail text NOT NULL
);
CREATE INDEX audit_entries_object_idx ON audit_entries (object_id, id DESC);

-- Responses to requests that carried an Idempotency-Key.
CREATE TABLE idempotent_responses (
  -- no foreign key: it would lock the account's row, and requests would wait for a running import
  account_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- SHA-256 of method, path and body
  fingerprint bytea NOT NULL,
  -- null: body is the response itself; otherwise body is the id of what the response is built from
  kind text,
  -- text and not jsonb, to keep the order of its fields; null: dropped to make room, the key stays in use
  body text,
  bytes integer GENERATED ALWAYS AS (octet_length(body)) STORED,
  location text,
  created_at timestamptz NOT NULL,
  CONSTRAINT idempotent_responses_pkey PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotent_responses_created_idx ON idempotent_responses (created_at);
CREATE INDEX idempotent_responses_large_idx ON idempotent_responses (account_id, created_at DESC) INCLUDE (bytes) WHERE bytes > 4096;

-- Catalog and authoring ---------------------------------------------------------------------------

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
  -- folded name: a quiz that names its category as text is linked by it
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
  -- '' without a category
  category_key text COLLATE "C" NOT NULL,
  category_id uuid CONSTRAINT quizzes_category_fkey REFERENCES categories ON DELETE SET NULL,
  difficulty difficulty NOT NULL,
  tags text[] NOT NULL,
  tag_keys text[] COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL CONSTRAINT quizzes_slug_key UNIQUE,
  published boolean NOT NULL,
  approval approval NOT NULL,
  rejection_reason text,
  -- true while the owner's account is disabled
  withheld boolean NOT NULL DEFAULT false,
  -- set by trigger (quizzes_visibility), not generated: PostgreSQL before 17 rewrites the table to change an expression
  is_public boolean NOT NULL,
  -- when the quiz first became public: quiz.published is sent once
  first_public_at timestamptz,
  changed_since_approval_at timestamptz,
  featured boolean NOT NULL,
  -- the assistant that wrote or last edited it, for the review
  written_by text CONSTRAINT quizzes_written_by_length CHECK (char_length(written_by) <= 250),
  -- rules of play (docs/adr/0011); null: none. The time limit is in seconds
  time_limit integer CONSTRAINT quizzes_time_limit_range CHECK (time_limit BETWEEN 10 AND 86400),
  max_attempts integer CONSTRAINT quizzes_max_attempts_range CHECK (max_attempts BETWEEN 1 AND 100),
  plays bigint NOT NULL DEFAULT 0,
  question_count integer NOT NULL DEFAULT 0,
  -- how many questions of each kind it has, in the order of question_kinds
  counts_by_kind integer[] NOT NULL DEFAULT no_counts(),
  -- of its questions (question_bytes)
  content_bytes integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- What everybody sees: one index per order, over all quizzes and within a category.
CREATE INDEX quizzes_popular_idx ON quizzes (plays DESC, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_newest_idx ON quizzes (created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_title_idx ON quizzes (title_sort, id) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_popular_idx ON quizzes (category_key, plays DESC, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_newest_idx ON quizzes (category_key, created_at DESC, id DESC) INCLUDE (difficulty) WHERE is_public;
CREATE INDEX quizzes_category_title_idx ON quizzes (category_key, title_sort, id) INCLUDE (difficulty) WHERE is_public;
-- The counts of an index entry's quizzes without reading their rows: 20 pages instead of 250.
CREATE INDEX quizzes_counts_idx ON quizzes (id) INCLUDE (category_key, question_count, counts_by_kind) WHERE is_public;
-- The owner's private quizzes, their list and quota; the reviewer's lists.
CREATE INDEX quizzes_private_idx ON quizzes (owner_id) WHERE NOT is_public;
CREATE INDEX quizzes_owner_idx ON quizzes (owner_id, created_at DESC);
CREATE INDEX quizzes_review_idx ON quizzes (created_at) WHERE published AND approval = 'pending';
CREATE INDEX quizzes_changed_since_approval_idx ON quizzes (changed_since_approval_at, id) WHERE changed_since_approval_at IS NOT NULL;

-- A table of its own: a play then updates a small row and no trigram index.
CREATE TABLE quiz_search (
  quiz_id uuid CONSTRAINT quiz_search_pkey PRIMARY KEY CONSTRAINT quiz_search_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  -- folded title, description and tags, one per line
  content text NOT NULL,
  -- copied from the quiz: the total of a search is counted without reading each quiz
  is_public boolean NOT NULL
);
CREATE INDEX quiz_search_content_idx ON quiz_search USING gin (content gin_trgm_ops);

-- Maintained by trigger (quizzes_copy).
CREATE TABLE quiz_tags (
  quiz_id uuid NOT NULL CONSTRAINT quiz_tags_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  tag_key text COLLATE "C" NOT NULL,
  is_public boolean NOT NULL,
  owner_id uuid NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  difficulty difficulty NOT NULL,
  CONSTRAINT quiz_tags_pkey PRIMARY KEY (quiz_id, tag_key)
);
CREATE INDEX quiz_tags_public_idx ON quiz_tags (tag_key, quiz_id) INCLUDE (category_key, difficulty) WHERE is_public;
CREATE INDEX quiz_tags_private_idx ON quiz_tags (owner_id, tag_key, quiz_id) WHERE NOT is_public;

-- The content that a reviewer approved, so that later edits show as a difference.
CREATE TABLE approved_versions (
  quiz_id uuid CONSTRAINT approved_versions_pkey PRIMARY KEY
    CONSTRAINT approved_versions_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  content jsonb NOT NULL,
  approved_at timestamptz NOT NULL
);

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
  -- attribution, for exports; null: unknown
  source text,
  licence text,
  -- of the folded text and answers: finds duplicates
  fingerprint uuid NOT NULL,
  -- copied from the quiz, so that browsing decides visibility without a join
  is_public boolean NOT NULL,
  owner_id uuid NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  CONSTRAINT questions_position_key UNIQUE (quiz_id, position) DEFERRABLE INITIALLY IMMEDIATE
);
CREATE INDEX questions_order_idx ON questions (quiz_id, position) INCLUDE (category_key, difficulty, type) WHERE is_public;
CREATE INDEX questions_facets_idx ON questions (category_key, difficulty, type, quiz_id, position) WHERE is_public;
CREATE INDEX questions_private_idx ON questions (owner_id, quiz_id, position) WHERE NOT is_public;
CREATE INDEX questions_fingerprint_idx ON questions (owner_id, fingerprint);

-- Counters over public quizzes, maintained at each commit (quizzes_count). docs/adr/0004.

CREATE TABLE quiz_counts (
  category_key text COLLATE "C" NOT NULL,
  difficulty difficulty NOT NULL,
  -- as written, for people; null without a category
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

CREATE TABLE tag_facet_counts (
  tag_key text COLLATE "C" NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  -- the quizzes'
  difficulty difficulty NOT NULL,
  quizzes bigint NOT NULL,
  -- in all, and by kind
  questions bigint NOT NULL,
  counts_by_kind bigint[] NOT NULL,
  CONSTRAINT tag_facet_counts_pkey PRIMARY KEY (tag_key, category_key, difficulty)
);

-- Play --------------------------------------------------------------------------------------------
-- An attempt continues when its quiz is changed or deleted: these tables copy what they need of quizzes and questions.

-- The questions of a quiz at one time, shared by all attempts on them: this table grows with edits, not with plays.
CREATE TABLE quiz_snapshots (
  -- a hash of the content: the same questions of the same quiz are one row
  id uuid CONSTRAINT quiz_snapshots_pkey PRIMARY KEY,
  -- null: drawn across quizzes, for attempts of the account owner_id
  quiz_id uuid,
  -- the quiz's owner, and the length of the questions as text: an account has a limit on their sum
  owner_id uuid NOT NULL,
  bytes integer NOT NULL,
  -- by id: {place, type, text, difficulty, explanation, answers: [{id, text, isCorrect}]}
  questions jsonb NOT NULL,
  question_count integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX quiz_snapshots_owner_idx ON quiz_snapshots (owner_id) INCLUDE (bytes, quiz_id);

CREATE TABLE quiz_attempts (
  id uuid CONSTRAINT quiz_attempts_pkey PRIMARY KEY,
  -- null: its questions were drawn across quizzes
  quiz_id uuid,
  snapshot_id uuid NOT NULL CONSTRAINT quiz_attempts_snapshot_fkey REFERENCES quiz_snapshots,
  -- whose key started it: nobody else can continue it
  account_id uuid NOT NULL CONSTRAINT quiz_attempts_account_fkey REFERENCES accounts ON DELETE CASCADE,
  -- the quiz's owner, who receives the events
  owner_id uuid NOT NULL,
  player text COLLATE "C" NOT NULL CONSTRAINT quiz_attempts_player_length CHECK (char_length(player) BETWEEN 1 AND 100),
  -- this attempt has its own order of questions
  shuffle boolean NOT NULL,
  -- the response to each answer says whether it was right
  reveal boolean NOT NULL,
  -- the unlisted link it was started by, which may be revoked since: such attempts enter no leaderboard
  link_id uuid,
  started_at timestamptz NOT NULL,
  -- when the quiz's time limit at the start is over; null: it had none
  ends_at timestamptz,
  -- the next three are set together, once
  submitted_at timestamptz,
  score integer,
  -- whole seconds
  time_spent integer,
  -- it is in the sums of quiz_results and question_results
  counted boolean NOT NULL DEFAULT false,
  CONSTRAINT quiz_attempts_submitted_whole CHECK (
    (submitted_at IS NULL) = (score IS NULL) AND (submitted_at IS NULL) = (time_spent IS NULL))
);
-- Retention of what was never submitted, its submission when the time is over, and retention of what was; a player's attempts; the attempts on a snapshot.
CREATE INDEX quiz_attempts_open_idx ON quiz_attempts (started_at) WHERE submitted_at IS NULL;
CREATE INDEX quiz_attempts_timed_idx ON quiz_attempts (ends_at) WHERE submitted_at IS NULL AND ends_at IS NOT NULL;
CREATE INDEX quiz_attempts_submitted_idx ON quiz_attempts (submitted_at) WHERE submitted_at IS NOT NULL;
CREATE INDEX quiz_attempts_player_idx ON quiz_attempts (quiz_id, account_id, player);
CREATE INDEX quiz_attempts_snapshot_idx ON quiz_attempts (snapshot_id);
-- The owner's list of results.
CREATE INDEX quiz_attempts_results_idx ON quiz_attempts (quiz_id, submitted_at DESC, id DESC) WHERE submitted_at IS NOT NULL;

CREATE TABLE quiz_answers (
  attempt_id uuid NOT NULL CONSTRAINT quiz_answers_attempt_fkey REFERENCES quiz_attempts ON DELETE CASCADE,
  question_id uuid NOT NULL,
  answer_ids uuid[],
  text text,
  is_right boolean NOT NULL,
  CONSTRAINT quiz_answers_pkey PRIMARY KEY (attempt_id, question_id),
  CONSTRAINT quiz_answers_one_kind CHECK ((answer_ids IS NULL) <> (text IS NULL))
);

-- The first attempt of each player. A player belongs to an account: two applications may both have a "42".
CREATE TABLE leaderboard_entries (
  quiz_id uuid NOT NULL,
  account_id uuid NOT NULL CONSTRAINT leaderboard_entries_account_fkey REFERENCES accounts ON DELETE CASCADE,
  player text COLLATE "C" NOT NULL,
  score integer NOT NULL,
  time_spent integer NOT NULL,
  reached_at timestamptz NOT NULL,
  attempt_id uuid NOT NULL,
  -- set: this player is not shown, with this attempt or another one
  hidden_at timestamptz,
  CONSTRAINT leaderboard_entries_pkey PRIMARY KEY (quiz_id, account_id, player)
);
CREATE INDEX leaderboard_entries_rank_idx
  ON leaderboard_entries (quiz_id, score DESC, time_spent, reached_at, attempt_id) INCLUDE (account_id, player)
  WHERE hidden_at IS NULL;

-- Unlisted links: whoever has the token can play the quiz, public or not. Revoking one deletes it.
CREATE TABLE quiz_links (
  id uuid CONSTRAINT quiz_links_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL CONSTRAINT quiz_links_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  -- 128 random bits. As text, because the owner reads it again; it opens nothing but the player's page
  token text COLLATE "C" NOT NULL CONSTRAINT quiz_links_token_key UNIQUE,
  -- null: open until it is revoked
  closes_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX quiz_links_quiz_idx ON quiz_links (quiz_id);

-- Plays that are not in quizzes.plays yet: one row per submitted attempt, added to the quiz in batches. Players
-- therefore never wait for each other at the quiz's row.
CREATE TABLE uncounted_plays (
  attempt_id uuid CONSTRAINT uncounted_plays_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL
);
CREATE INDEX uncounted_plays_quiz_idx ON uncounted_plays (quiz_id);

-- Results: sums over the first attempts of players, if they have an answer. They outlive the attempts.
CREATE TABLE quiz_results (
  quiz_id uuid NOT NULL,
  -- of the attempt: how many questions it had, and how many were right
  total integer NOT NULL,
  score integer NOT NULL,
  attempts integer NOT NULL,
  seconds bigint NOT NULL,
  CONSTRAINT quiz_results_pkey PRIMARY KEY (quiz_id, total, score)
);

-- How often each answer was given by players with each score on the other questions: the whole item analysis follows.
CREATE TABLE question_results (
  quiz_id uuid NOT NULL,
  -- a hash of the question's id, text, type and answers: an edit of these starts new sums
  version uuid NOT NULL,
  -- positions of the chosen answers, from 0: '1', '0,2'; of an OPEN_ENDED question 'right' or 'wrong'; '' for none
  chosen text COLLATE "C" NOT NULL,
  -- right answers to the other questions
  rest integer NOT NULL,
  is_right boolean NOT NULL,
  attempts integer NOT NULL,
  CONSTRAINT question_results_pkey PRIMARY KEY (quiz_id, version, chosen, rest)
) WITH (fillfactor = 80);

-- What the item analysis found, for the review queue. Computed hourly from question_results.
CREATE TABLE question_flags (
  quiz_id uuid NOT NULL,
  question_id uuid NOT NULL,
  kind text NOT NULL,
  CONSTRAINT question_flags_pkey PRIMARY KEY (quiz_id, question_id, kind)
);

-- Players' reports of wrong questions: one of each player for each question.
CREATE TABLE question_reports (
  id uuid CONSTRAINT question_reports_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL,
  question_id uuid NOT NULL,
  -- who reports: the browser's part of a player id
  reporter text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  text text NOT NULL,
  created_at timestamptz NOT NULL,
  closed_at timestamptz,
  CONSTRAINT question_reports_once_key UNIQUE (quiz_id, question_id, reporter)
);
CREATE INDEX question_reports_closed_idx ON question_reports (closed_at) WHERE closed_at IS NOT NULL;

-- Events and webhooks -----------------------------------------------------------------------------

CREATE TABLE outbox_events (
  id uuid CONSTRAINT outbox_events_pkey PRIMARY KEY,
  name text NOT NULL,
  -- the account whose endpoints receive the event
  account_id uuid NOT NULL,
  -- the envelope as it is signed and sent: text, since jsonb reorders keys and rewrites numbers
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  -- by the database's clock, as webhook_endpoints.stored_at: an event is sent to endpoints that were stored before it
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  relayed_at timestamptz,
  -- with the id the order of GET /events: transactions that have ended by now can add no earlier event
  transaction_id bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);
-- By account, because the relay takes some of each.
CREATE INDEX outbox_events_waiting_idx ON outbox_events (account_id, id) WHERE relayed_at IS NULL;
CREATE INDEX outbox_events_relayed_idx ON outbox_events (relayed_at) WHERE relayed_at IS NOT NULL;
CREATE INDEX outbox_events_account_idx ON outbox_events (account_id, name, transaction_id, id);

CREATE TABLE webhook_endpoints (
  id uuid CONSTRAINT webhook_endpoints_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT webhook_endpoints_account_fkey REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL CONSTRAINT webhook_endpoints_events_some CHECK (cardinality(events) > 0),
  -- an administrator's endpoint may receive the events of every account
  all_accounts boolean NOT NULL,
  -- encrypted with ENCRYPTION_KEY; the main secret signs X-Service-Signature
  secret bytea NOT NULL,
  -- the other secret of a rotation: the next one (staged) or the previous one (retiring)
  other_secret bytea,
  rotation text CONSTRAINT webhook_endpoints_rotation_known CHECK (rotation IN ('staged', 'retiring')),
  created_at timestamptz NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- a successful attempt took long: until then a delay of its deliveries is not the service's
  slow_until timestamptz,
  -- the first failure since the last success
  failing_since timestamptz,
  disabled_at timestamptz,
  -- for the owner to read
  disabled_reason text,
  deleted_at timestamptz,
  CONSTRAINT webhook_endpoints_rotation_whole CHECK ((rotation IS NULL) = (other_secret IS NULL))
);
CREATE INDEX webhook_endpoints_account_idx ON webhook_endpoints (account_id) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_all_accounts_idx ON webhook_endpoints (id) WHERE all_accounts AND deleted_at IS NULL;

-- What became of an event at an endpoint. The queue holds the jobs that make the attempts; these rows are what people
-- see, and what the jobs are added from again when the queue has lost them.
CREATE TABLE webhook_deliveries (
  id uuid CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
  event_id uuid NOT NULL CONSTRAINT webhook_deliveries_event_fkey REFERENCES outbox_events,
  endpoint_id uuid NOT NULL CONSTRAINT webhook_deliveries_endpoint_fkey REFERENCES webhook_endpoints ON DELETE CASCADE,
  event text NOT NULL,
  -- a ping that the owner asked for: sent to a disabled endpoint too, never retried
  is_test boolean NOT NULL DEFAULT false,
  -- paused: pending, and its endpoint is disabled
  status text NOT NULL
    CONSTRAINT webhook_deliveries_status_known CHECK (status IN ('pending', 'paused', 'delivered', 'failed', 'cancelled')),
  -- when the next automatic attempt is due
  next_attempt_at timestamptz,
  -- attempts begun, of every kind: the number of the last one
  attempts integer NOT NULL DEFAULT 0,
  -- automatic attempts with a known outcome: what the retry schedule counts
  automatic_attempts integer NOT NULL DEFAULT 0,
  -- a manual retry was requested, and its attempt has not ended
  is_manual boolean NOT NULL DEFAULT false,
  -- manual retries requested so far: the number in the id of their job
  manual_retries integer NOT NULL DEFAULT 0,
  -- the relay adds a job
  needs_job boolean NOT NULL DEFAULT false,
  -- the attempt in progress: since when, and the id of the job that makes it
  attempt_started_at timestamptz,
  attempt_job text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- two relays never create two deliveries
  CONSTRAINT webhook_deliveries_event_endpoint_key UNIQUE (event_id, endpoint_id),
  CONSTRAINT webhook_deliveries_due_whole CHECK ((next_attempt_at IS NULL) = (status NOT IN ('pending', 'paused'))),
  CONSTRAINT webhook_deliveries_finished_whole CHECK ((finished_at IS NULL) = (status IN ('pending', 'paused'))),
  CONSTRAINT webhook_deliveries_attempt_whole CHECK ((attempt_started_at IS NULL) = (attempt_job IS NULL))
) WITH (fillfactor = 60); -- the beginning of an attempt changes no index if its page has room
-- What is due at an endpoint.
CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_paused_idx ON webhook_deliveries (endpoint_id) WHERE status = 'paused';
CREATE INDEX webhook_deliveries_manual_idx ON webhook_deliveries (id) WHERE is_manual;
CREATE INDEX webhook_deliveries_job_idx ON webhook_deliveries (endpoint_id, id) WHERE needs_job;
-- Listing, newest first; retrying what failed since; retention.
CREATE INDEX webhook_deliveries_endpoint_idx ON webhook_deliveries (endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_failed_idx ON webhook_deliveries (endpoint_id, finished_at) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_finished_idx ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL CONSTRAINT webhook_attempts_delivery_fkey REFERENCES webhook_deliveries ON DELETE CASCADE,
  -- 1, 2, 3, … without a gap
  number integer NOT NULL,
  kind text NOT NULL CONSTRAINT webhook_attempts_kind_known CHECK (kind IN ('automatic', 'manual', 'test', 'interrupted')),
  started_at timestamptz NOT NULL,
  -- null for an interrupted attempt, whose end nobody saw
  duration_ms integer,
  status integer,
  -- an AttemptErrorCode
  error text,
  -- the start of the receiver's response, at most 4096 characters: untrusted text
  response text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

-- Heartbeats of the workers, for health checks.
CREATE TABLE webhook_workers (
  id uuid CONSTRAINT webhook_workers_pkey PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  queue text NOT NULL,
  -- whether the queue took the worker's last message
  queue_answers boolean NOT NULL,
  -- whether its import process runs; null of a worker that has not said so yet
  imports_run boolean,
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);

-- Imports -----------------------------------------------------------------------------------------
-- An import is rows that any worker can continue.

CREATE TABLE imports (
  id uuid CONSTRAINT imports_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT imports_account_fkey REFERENCES accounts ON DELETE CASCADE,
  state text NOT NULL CONSTRAINT imports_state_known CHECK
    (state IN ('receiving', 'waiting', 'running', 'completed', 'stopped', 'failed', 'cancelled')),
  dry_run boolean NOT NULL,
  -- no foreign key: without its quiz the import stops and creates no other
  quiz_id uuid,
  file_name text NOT NULL,
  -- as requested, then as detected
  format text,
  -- {difficulty, published, source, licence, title, category, quizSize, columns, cards}
  options jsonb NOT NULL,
  -- of a table: [{name, sample, field}], as it is read
  columns jsonb,
  -- bytes, and how many of them were read
  size bigint NOT NULL DEFAULT 0,
  read bigint NOT NULL DEFAULT 0,
  -- import_chunks hold the file; otherwise only the process that received it can read it
  stored boolean NOT NULL,
  -- when the file was read to its end: from then on only import_questions are needed
  checked_at timestamptz,
  -- rows of the file, those among them that can be imported, and the outcomes
  rows integer NOT NULL DEFAULT 0,
  importable integer NOT NULL DEFAULT 0,
  duplicates integer NOT NULL DEFAULT 0,
  errors integer NOT NULL DEFAULT 0,
  notes integer NOT NULL DEFAULT 0,
  -- what the importable ones add to the account's questions
  content_bytes bigint NOT NULL DEFAULT 0,
  imported integer NOT NULL DEFAULT 0,
  quizzes integer NOT NULL DEFAULT 0,
  -- why it ended early, for people
  error text,
  -- who may write, and until when
  token uuid,
  leased_until timestamptz,
  -- how often it was taken up since its last progress
  tries integer NOT NULL DEFAULT 0,
  -- when a worker looks at it next; null: nothing to do
  next_check_at timestamptz,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX imports_account_idx ON imports (account_id, id DESC);
CREATE INDEX imports_check_idx ON imports (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX imports_created_idx ON imports (created_at);

-- The uploaded file, where every worker can read it. Deleted once it was read to its end.
CREATE TABLE import_chunks (
  import_id uuid NOT NULL CONSTRAINT import_chunks_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT import_chunks_pkey PRIMARY KEY (import_id, number)
);
-- The bytes are often compressed already.
ALTER TABLE import_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- A quiz or a category of the file.
CREATE TABLE import_groups (
  import_id uuid NOT NULL CONSTRAINT import_groups_import_fkey REFERENCES imports ON DELETE CASCADE,
  -- of the file and the quiz within it
  key uuid NOT NULL,
  -- of its first row, for the order
  number integer NOT NULL,
  file text NOT NULL,
  -- {title, description, category, difficulty, tags} as far as the file has them
  quiz jsonb NOT NULL,
  rows integer NOT NULL,
  imported integer NOT NULL DEFAULT 0,
  -- the quiz that takes the next question, and how many it has from this group
  quiz_id uuid,
  quiz_size integer NOT NULL DEFAULT 0,
  CONSTRAINT import_groups_pkey PRIMARY KEY (import_id, key)
);

-- Questions that were read and are not written yet. Writing deletes them in the same transaction.
CREATE TABLE import_questions (
  import_id uuid NOT NULL CONSTRAINT import_questions_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  group_key uuid NOT NULL,
  line integer NOT NULL,
  question jsonb NOT NULL,
  fingerprint uuid NOT NULL,
  CONSTRAINT import_questions_pkey PRIMARY KEY (import_id, number)
);
CREATE INDEX import_questions_fingerprint_idx ON import_questions (import_id, fingerprint);

-- The quizzes that an import created or added to, for its report.
CREATE TABLE import_quizzes (
  import_id uuid NOT NULL CONSTRAINT import_quizzes_import_fkey REFERENCES imports ON DELETE CASCADE,
  -- no foreign key: the report also names a quiz that was deleted later
  quiz_id uuid NOT NULL,
  -- of its first question in the file, for the order
  number integer NOT NULL,
  -- as they were then
  title text NOT NULL,
  slug text NOT NULL,
  -- how many it got from this import, and which if the quiz was there before
  questions integer NOT NULL,
  question_ids uuid[] NOT NULL DEFAULT '{}',
  CONSTRAINT import_quizzes_pkey PRIMARY KEY (import_id, quiz_id)
);

-- The report: what is said about single rows.
CREATE TABLE import_report_entries (
  import_id uuid NOT NULL CONSTRAINT import_report_entries_import_fkey REFERENCES imports ON DELETE CASCADE,
  number integer NOT NULL,
  kind text NOT NULL,
  file text NOT NULL,
  line integer NOT NULL,
  path text,
  message text NOT NULL,
  CONSTRAINT import_report_entries_pkey PRIMARY KEY (import_id, number)
);
