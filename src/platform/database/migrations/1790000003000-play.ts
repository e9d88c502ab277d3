import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Attempts, their answers and leaderboards. An attempt goes on when its quiz is changed or deleted, and so
 * nothing here refers to quizzes or questions: what is needed of them is copied.
 */
export class Play1790000003000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- A quiz's questions as they once were, shared by all attempts that were started on them: this grows
-- when quizzes are edited, not when they are played.
CREATE TABLE quiz_editions (
  -- made of the content itself: the same questions of the same quiz are the same edition
  id uuid CONSTRAINT quiz_editions_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL,
  question_count integer NOT NULL CONSTRAINT quiz_editions_not_empty CHECK (question_count > 0),
  -- by id: {place, type, text, difficulty, explanation, answers: [{id, text, isCorrect}]}
  questions jsonb NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE quiz_attempts (
  id uuid CONSTRAINT quiz_attempts_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL,
  edition_id uuid NOT NULL CONSTRAINT quiz_attempts_edition_fkey REFERENCES quiz_editions,
  -- whose key started it: nobody else may go on with it
  account_id uuid NOT NULL CONSTRAINT quiz_attempts_account_fkey REFERENCES accounts ON DELETE CASCADE,
  -- the quiz's owner, who receives the events
  owner_id uuid NOT NULL,
  player text COLLATE "C" NOT NULL CONSTRAINT quiz_attempts_player_length CHECK (char_length(player) BETWEEN 1 AND 100),
  -- questions in an order of this attempt's own
  shuffle boolean NOT NULL,
  -- each answer is told at once whether it was right
  reveal boolean NOT NULL,
  started_at timestamptz NOT NULL,
  -- these three together, once
  submitted_at timestamptz,
  score integer,
  -- whole seconds
  time_spent integer,
  CONSTRAINT quiz_attempts_submitted_whole CHECK (
    (submitted_at IS NULL) = (score IS NULL) AND (submitted_at IS NULL) = (time_spent IS NULL))
);
-- For the sweep of what was never submitted.
CREATE INDEX quiz_attempts_open_idx ON quiz_attempts (started_at) WHERE submitted_at IS NULL;

CREATE TABLE quiz_answers (
  attempt_id uuid NOT NULL CONSTRAINT quiz_answers_attempt_fkey REFERENCES quiz_attempts ON DELETE CASCADE,
  question_id uuid NOT NULL,
  answer_ids uuid[],
  text text,
  is_right boolean NOT NULL,
  CONSTRAINT quiz_answers_pkey PRIMARY KEY (attempt_id, question_id),
  CONSTRAINT quiz_answers_one_kind CHECK ((answer_ids IS NULL) <> (text IS NULL))
);

-- The best attempt of each player. A player is an account's: two apps may both have a "42".
CREATE TABLE leaderboard_entries (
  quiz_id uuid NOT NULL,
  account_id uuid NOT NULL CONSTRAINT leaderboard_entries_account_fkey REFERENCES accounts ON DELETE CASCADE,
  player text COLLATE "C" NOT NULL,
  score integer NOT NULL,
  time_spent integer NOT NULL,
  reached_at timestamptz NOT NULL,
  attempt_id uuid NOT NULL,
  CONSTRAINT leaderboard_entries_pkey PRIMARY KEY (quiz_id, account_id, player)
);
CREATE INDEX leaderboard_entries_rank_idx
  ON leaderboard_entries (quiz_id, score DESC, time_spent, reached_at, attempt_id) INCLUDE (account_id, player);

-- Plays on their way to quizzes.plays: a row is written with each submitted attempt, and many at once are
-- added to the quiz and deleted. Players so never wait for one another at the quiz's row.
CREATE TABLE uncounted_plays (
  attempt_id uuid CONSTRAINT uncounted_plays_pkey PRIMARY KEY,
  quiz_id uuid NOT NULL
);
CREATE INDEX uncounted_plays_quiz_idx ON uncounted_plays (quiz_id);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP TABLE uncounted_plays, leaderboard_entries, quiz_answers, quiz_attempts, quiz_editions;
`);
  }
}
