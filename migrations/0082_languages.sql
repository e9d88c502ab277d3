-- The language of a quiz's texts, as a canonical BCP 47 tag; null: not said.
ALTER TABLE quizzes ADD COLUMN language text COLLATE "C"
  CONSTRAINT quizzes_language_form CHECK (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' AND char_length(language) <= 35);
