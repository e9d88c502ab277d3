-- How the texts of a question are written: as they are shown, or in Markdown.
CREATE TYPE question_format AS ENUM ('plain', 'markdown');
ALTER TABLE questions ADD COLUMN format question_format NOT NULL DEFAULT 'plain';
