-- no transaction
-- To find the pictures that no question shows.
DROP INDEX CONCURRENTLY IF EXISTS questions_media_idx;
CREATE INDEX CONCURRENTLY questions_media_idx ON questions USING gin (media) WHERE media IS NOT NULL;
