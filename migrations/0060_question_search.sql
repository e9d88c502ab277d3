-- Searching the texts of questions (docs/adr/0003). Nothing is filled in here: 0061 marks every quiz, and the worker does
-- the rest.
LOCK TABLE quizzes, questions IN ACCESS EXCLUSIVE MODE;

-- The folded text. Null until the worker fills it: of questions from before, and of those that the previous version writes.
ALTER TABLE questions ADD COLUMN text_key text;

-- Where a text may be found: a superset, which the questions themselves are checked against. A trigram index on the text
-- of each question would cost an import a quarter of its time.
CREATE TABLE question_search (
  quiz_id uuid NOT NULL CONSTRAINT question_search_quiz_fkey REFERENCES quizzes ON DELETE CASCADE,
  -- 1, 2, 3, …: fifty questions each. 0: the quiz has changed since the others were written, so each search reads it
  block integer NOT NULL,
  -- the folded texts of its questions; null in block 0
  content text,
  CONSTRAINT question_search_pkey PRIMARY KEY (quiz_id, block),
  CONSTRAINT question_search_content_whole CHECK ((content IS NULL) = (block = 0))
);
-- A search reads the whole pending list, so that is short.
CREATE INDEX question_search_content_idx ON question_search USING gin (content gin_trgm_ops)
  WITH (gin_pending_list_limit = 256) WHERE content IS NOT NULL;
CREATE INDEX question_search_changed_idx ON question_search (quiz_id) WHERE block = 0;
