-- no transaction
-- Finds the entries above the 10,000 routine ones that are kept of an account (functions.sql: audit_is_routine).
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_routine_idx;
CREATE INDEX CONCURRENTLY audit_entries_routine_idx ON audit_entries (actor_id, id DESC)
  WHERE action = ANY ('{quiz.deleted,key.issued,key.revoked,key.rotated,webhook.added,webhook.changed,webhook.deleted,webhook.enabled,webhook.disabled,quiz.regraded}'::text[]);
