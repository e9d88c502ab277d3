-- Whether a typed answer with one typing error counts as correct.
ALTER TABLE quizzes ADD COLUMN accept_typos boolean NOT NULL DEFAULT false;
