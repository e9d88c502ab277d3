-- no transaction
-- The pictures that the texts of a question show; null: none.
ALTER TABLE questions ADD COLUMN IF NOT EXISTS media uuid[];
-- Which pictures no question shows.
DROP INDEX CONCURRENTLY IF EXISTS questions_media_idx;
CREATE INDEX CONCURRENTLY questions_media_idx ON questions USING gin (media) WHERE media IS NOT NULL;
