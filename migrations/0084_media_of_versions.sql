-- no transaction
-- The pictures that stored versions of questions show; null: none. They stay for results and reviews when an edit
-- replaces them.
ALTER TABLE quiz_snapshots ADD COLUMN IF NOT EXISTS media uuid[];
ALTER TABLE approved_versions ADD COLUMN IF NOT EXISTS media uuid[];
DROP INDEX CONCURRENTLY IF EXISTS quiz_snapshots_media_idx;
CREATE INDEX CONCURRENTLY quiz_snapshots_media_idx ON quiz_snapshots USING gin (media) WHERE media IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS approved_versions_media_idx;
CREATE INDEX CONCURRENTLY approved_versions_media_idx ON approved_versions USING gin (media) WHERE media IS NOT NULL;
