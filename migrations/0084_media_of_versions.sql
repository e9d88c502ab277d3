-- no transaction
-- To find the pictures that no stored version shows.
DROP INDEX CONCURRENTLY IF EXISTS quiz_snapshots_media_idx;
CREATE INDEX CONCURRENTLY quiz_snapshots_media_idx ON quiz_snapshots USING gin (media) WHERE media IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS approved_versions_media_idx;
CREATE INDEX CONCURRENTLY approved_versions_media_idx ON approved_versions USING gin (media) WHERE media IS NOT NULL;
