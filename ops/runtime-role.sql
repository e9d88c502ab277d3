-- The role of the API and the workers: it reads and writes rows, cannot change the schema, and can only add to the audit
-- log. Run it as the owner of the database after each `quizctl migrate`; running it again does no harm:
--   psql --set=ON_ERROR_STOP=1 --file=ops/runtime-role.sql "$OWNER_URL"

BEGIN;

-- Only a role with CREATEROLE can do this; otherwise create quiz_service beforehand.
SELECT 'CREATE ROLE quiz_service LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quiz_service') \gexec

-- PostgreSQL 14 lets every role create tables, and there the owner of the database cannot revoke this: the schema is not
-- its own, and REVOKE only warns.
REVOKE CREATE ON SCHEMA public FROM PUBLIC, quiz_service;
DO $$ BEGIN
  IF has_schema_privilege('quiz_service', 'public', 'CREATE') THEN
    RAISE 'quiz_service may still create tables: in this database, run % as a superuser, then this file again',
      format('ALTER SCHEMA public OWNER TO %I', current_user);
  END IF;
END $$;
GRANT USAGE ON SCHEMA public TO quiz_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO quiz_service;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO quiz_service;

-- Append-only. Retention deletes entries that are older than 365 days, and routine ones above 10,000 of an account, by the
-- function prune_audit_entries.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_entries FROM quiz_service;
REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM quiz_service;

-- The queue, where it is in PostgreSQL (no REDIS_URL). BullMQ creates a sequence for each queue when it is first used.
SELECT format(statement, 'bullmq') FROM (VALUES
  (1, 'GRANT USAGE, CREATE ON SCHEMA %I TO quiz_service'),
  (2, 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO quiz_service'),
  (3, 'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO quiz_service')
) AS statements (step, statement) WHERE to_regnamespace('bullmq') IS NOT NULL ORDER BY step \gexec

COMMIT;
