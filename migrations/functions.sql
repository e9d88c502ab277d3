-- Every function and trigger of the schema, once. This file runs again after migrations whenever it has changed, so it
-- must be repeatable: CREATE OR REPLACE; a constraint trigger, which cannot be replaced, is dropped and created.
-- Keep the order of the locks here: tables in the order in which the service locks them.
LOCK TABLE accounts, topics, categories, quizzes, questions, audit_entries IN ACCESS EXCLUSIVE MODE;

-- Visibility --------------------------------------------------------------------------------------

-- Quizzes of a disabled account are withheld: everything derived from is_public follows.
CREATE OR REPLACE FUNCTION accounts_withhold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE quizzes q SET withheld = NEW.disabled_at IS NOT NULL
  FROM (SELECT id FROM quizzes WHERE owner_id = NEW.id ORDER BY id FOR NO KEY UPDATE) AS owned WHERE q.id = owned.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER accounts_withhold AFTER UPDATE OF disabled_at ON accounts
  FOR EACH ROW WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION accounts_withhold();

CREATE OR REPLACE FUNCTION quizzes_visibility() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- The foreign key's lock: disabling the account either comes before, or waits and finds this quiz.
    SELECT disabled_at IS NOT NULL INTO NEW.withheld FROM accounts WHERE id = NEW.owner_id FOR KEY SHARE;
    NEW.withheld := coalesce(NEW.withheld, false);
  END IF;
  NEW.is_public := NEW.published AND NEW.approval = 'approved' AND NOT NEW.withheld;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER quizzes_visibility BEFORE INSERT OR UPDATE OF published, approval, withheld, is_public ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_visibility();

-- Copies of a quiz's columns on its tags, questions and search text, updated in the same statement (docs/adr/0004) -----

-- A language is found and counted as a tag is (docs/adr/0003), under keys that no tag has, since folded tags do not begin
-- with a space: of de-AT these are ' de' and ' de-AT', because a filter by de finds de-AT as well.
CREATE OR REPLACE FUNCTION language_keys(language text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(' ' || array_to_string(parts[1:n], '-') ORDER BY n), '{}')
        FROM string_to_array(language, '-') AS parts, generate_series(1, cardinality(parts)) AS n);

CREATE OR REPLACE FUNCTION quizzes_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (OLD.is_public, OLD.owner_id, OLD.category_key) IS DISTINCT FROM (NEW.is_public, NEW.owner_id, NEW.category_key) THEN
      UPDATE questions SET is_public = NEW.is_public, owner_id = NEW.owner_id, category_key = NEW.category_key
      WHERE quiz_id = NEW.id;
    END IF;
    IF OLD.is_public <> NEW.is_public THEN
      UPDATE quiz_search SET is_public = NEW.is_public WHERE quiz_id = NEW.id;
    END IF;
    DELETE FROM quiz_tags WHERE quiz_id = NEW.id;
  END IF;
  INSERT INTO quiz_tags (tag_key, quiz_id, is_public, owner_id, category_key, difficulty)
  SELECT tag_key, NEW.id, NEW.is_public, NEW.owner_id, NEW.category_key, NEW.difficulty
  FROM unnest(NEW.tag_keys || language_keys(NEW.language)) AS tag_key;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER quizzes_copy_on_insert AFTER INSERT ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_copy();
CREATE OR REPLACE TRIGGER quizzes_copy_on_update
  AFTER UPDATE OF published, approval, withheld, owner_id, category_key, difficulty, tag_keys, language ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_copy();

-- Counters of public quizzes, at the commit (docs/adr/0004) -----------------------------------

-- The number of an advisory lock: any that no other user of such locks in this database takes.
CREATE OR REPLACE FUNCTION counters_lock() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 7311093550267;

-- counts + sign × change, element by element: 3 µs.
CREATE OR REPLACE FUNCTION add_counts(counts anyarray, change anyarray, sign integer DEFAULT 1)
RETURNS anyarray LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR i IN 1 .. cardinality(counts) LOOP
    counts[i] := counts[i] + sign * change[i];
  END LOOP;
  RETURN counts;
END $$;

-- The rows of catalog_counts that count a public quiz: whatever the tags (''), and for each of its tags and languages; each
-- over all categories (' ') and in its own. The name is that of the tag or of the category, where only one is given.
CREATE OR REPLACE FUNCTION counter_keys(quiz quizzes) RETURNS TABLE (tag_key text, category_key text, name text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT t.tag_key, c.category_key, CASE WHEN c.category_key = ' ' THEN t.tag WHEN t.tag_key = '' THEN quiz.category END
FROM unnest(ARRAY[''] || quiz.tag_keys || language_keys(quiz.language), ARRAY[NULL] || quiz.tags) AS t (tag_key, tag),
  (VALUES (' '), (quiz.category_key)) AS c (category_key)
$$;

-- Applies a change of a quiz to the counters: subtracts the row before, adds the row after, each while it is public.
CREATE OR REPLACE FUNCTION quizzes_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before quizzes := OLD;
  after quizzes := NEW;
BEGIN
  IF before.is_public IS NOT TRUE AND after.is_public IS NOT TRUE THEN
    RETURN NULL;
  END IF;
  -- One transaction at a time writes counters, until its commit ends: two that change several quizzes would take the
  -- counters' rows quiz by quiz and could deadlock. Rebuilding the counters takes the same lock.
  PERFORM pg_advisory_xact_lock(counters_lock());

  INSERT INTO catalog_counts AS c (tag_key, category_key, name, quizzes, quizzes_by_difficulty, question_count, counts_by_kind)
  SELECT * FROM (
    SELECT tag_key, category_key, max(name), sum(sign),
      ARRAY[sum(sign * (difficulty = 'EASY')::int), sum(sign * (difficulty = 'MEDIUM')::int), sum(sign * (difficulty = 'HARD')::int), sum(sign * (difficulty = 'EXPERT')::int)] AS by_difficulty,
      sum(sign * questions),
      ARRAY[sum(sign * counts[1]), sum(sign * counts[2]), sum(sign * counts[3]), sum(sign * counts[4]), sum(sign * counts[5]), sum(sign * counts[6]), sum(sign * counts[7]), sum(sign * counts[8]), sum(sign * counts[9]), sum(sign * counts[10]), sum(sign * counts[11]), sum(sign * counts[12])] AS by_kind
    FROM (SELECT k.*, -1 AS sign, before.difficulty, before.question_count AS questions, before.counts_by_kind AS counts
          FROM counter_keys(before) AS k WHERE before.is_public
          UNION ALL
          SELECT k.*, 1, after.difficulty, after.question_count, after.counts_by_kind
          FROM counter_keys(after) AS k WHERE after.is_public) AS counted
    GROUP BY 1, 2) AS changes
  WHERE by_difficulty <> '{0,0,0,0}' OR by_kind <> no_counts()::bigint[] ORDER BY 1, 2
  ON CONFLICT (tag_key, category_key) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
    quizzes_by_difficulty = add_counts(c.quizzes_by_difficulty, excluded.quizzes_by_difficulty),
    question_count = c.question_count + excluded.question_count,
    counts_by_kind = add_counts(c.counts_by_kind, excluded.counts_by_kind),
    -- A spelling lasts until the last quiz that was counted under it is gone.
    name = CASE WHEN c.quizzes > 0 THEN c.name ELSE excluded.name END;
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS quizzes_count_on_insert_or_delete ON quizzes;
CREATE CONSTRAINT TRIGGER quizzes_count_on_insert_or_delete AFTER INSERT OR DELETE ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_count();
DROP TRIGGER IF EXISTS quizzes_count_on_update ON quizzes;
CREATE CONSTRAINT TRIGGER quizzes_count_on_update
  AFTER UPDATE OF published, approval, withheld, category, category_key, difficulty, tags, tag_keys, language, counts_by_kind ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_count();

-- Cached responses of the API (src/platform/database/content-changes.ts) --------------------------------

CREATE OR REPLACE FUNCTION notify_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY quiz_content;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER quizzes_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON quizzes
  FOR EACH STATEMENT EXECUTE FUNCTION notify_content();
CREATE OR REPLACE TRIGGER questions_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON questions
  FOR EACH STATEMENT EXECUTE FUNCTION notify_content();
CREATE OR REPLACE TRIGGER categories_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON categories
  FOR EACH STATEMENT EXECUTE FUNCTION notify_content();
CREATE OR REPLACE TRIGGER topics_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON topics
  FOR EACH STATEMENT EXECUTE FUNCTION notify_content();

DROP TRIGGER IF EXISTS quizzes_notify_new ON quizzes;
DROP FUNCTION IF EXISTS notify_new_quizzes();

-- Wakes the relays of the workers.
CREATE OR REPLACE FUNCTION notify_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY webhook_events;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER outbox_events_notify AFTER INSERT ON outbox_events
  FOR EACH STATEMENT EXECUTE FUNCTION notify_events();

-- Searching questions (docs/adr/0003) ------------------------------------------------------------------

-- The version before 0060 writes questions without the folded text: the worker adds it. Of an edit that changes no more
-- than case, the folded text stays as it is.
CREATE OR REPLACE FUNCTION questions_text_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.text_key := NULL;
  INSERT INTO question_search (quiz_id, block) VALUES (NEW.quiz_id, 0) ON CONFLICT (quiz_id, block) DO NOTHING;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER questions_text_key_on_insert BEFORE INSERT ON questions FOR EACH ROW
  WHEN (NEW.text_key IS NULL) EXECUTE FUNCTION questions_text_key();
CREATE OR REPLACE TRIGGER questions_text_key_on_update BEFORE UPDATE OF text ON questions FOR EACH ROW
  WHEN (lower(NEW.text) <> lower(OLD.text) AND NEW.text_key IS NOT DISTINCT FROM OLD.text_key)
  EXECUTE FUNCTION questions_text_key();

-- Limits and review -----------------------------------------------------------------------------------

-- The same as questionBytes in TypeScript.
CREATE OR REPLACE FUNCTION question_bytes(text text, explanation text, answers jsonb) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN 200 + octet_length(text) + coalesce(octet_length(explanation), 0)
  + (SELECT coalesce(sum(100 + octet_length(answer ->> 'text')), 0) FROM jsonb_array_elements(answers) AS answer);

-- The bytes of an account follow its quizzes. Writers lock the account before the quiz.
CREATE OR REPLACE FUNCTION quizzes_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET content_bytes = content_bytes + coalesce(NEW.content_bytes, 0) - OLD.content_bytes
  WHERE id = OLD.owner_id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER quizzes_bytes_on_update AFTER UPDATE OF content_bytes ON quizzes FOR EACH ROW
  WHEN (OLD.content_bytes <> NEW.content_bytes) EXECUTE FUNCTION quizzes_bytes();
CREATE OR REPLACE TRIGGER quizzes_bytes_on_delete AFTER DELETE ON quizzes
  FOR EACH ROW WHEN (OLD.content_bytes <> 0) EXECUTE FUNCTION quizzes_bytes();

-- So do its pictures, with 200 bytes for what is stored beside each.
CREATE OR REPLACE FUNCTION media_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET content_bytes = content_bytes + coalesce(NEW.bytes + 200, 0) - coalesce(OLD.bytes + 200, 0)
  WHERE id = coalesce(NEW.account_id, OLD.account_id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER media_bytes AFTER INSERT OR DELETE ON media FOR EACH ROW EXECUTE FUNCTION media_bytes();

CREATE OR REPLACE FUNCTION questions_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING MESSAGE = 'A question exceeds the limits of its texts.', CONSTRAINT = 'questions_limits';
END $$;
CREATE OR REPLACE TRIGGER questions_limits BEFORE INSERT OR UPDATE OF text, explanation, answers ON questions FOR EACH ROW
  WHEN (char_length(NEW.text) > 4000 OR char_length(NEW.explanation) > 4000 OR jsonb_array_length(NEW.answers) > 60)
  EXECUTE FUNCTION questions_limits();

-- Every edit sets updated_at, and the time of two edits may be the same (several processes with clocks of their own).
-- Each edit moves it forward here, so that it identifies the version: the ETag and If-Match go by it. The name puts this
-- trigger before the next one.
CREATE OR REPLACE FUNCTION advance_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER quizzes_advance_updated_at BEFORE UPDATE OF updated_at ON quizzes
  FOR EACH ROW EXECUTE FUNCTION advance_updated_at();

-- Notices every edit of an approved quiz, since each one sets updated_at: a quiz was approved as "Nice rivers" and then
-- rewritten into an advertisement.
CREATE OR REPLACE FUNCTION note_change_since_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM approved_versions WHERE quiz_id = NEW.id) THEN
    NEW.changed_since_approval_at := coalesce(OLD.changed_since_approval_at, NEW.updated_at);
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER quizzes_change_since_approval BEFORE UPDATE OF updated_at ON quizzes FOR EACH ROW
  WHEN (OLD.approval = 'approved' AND NEW.approval = 'approved' AND NEW.published = OLD.published
        AND NEW.featured = OLD.featured AND NEW.updated_at IS DISTINCT FROM OLD.updated_at
        AND (NEW.time_limit, NEW.max_attempts, NEW.questions_per_attempt, NEW.accept_typos)
          IS NOT DISTINCT FROM (OLD.time_limit, OLD.max_attempts, OLD.questions_per_attempt, OLD.accept_typos))
  EXECUTE FUNCTION note_change_since_approval();

-- Audit -----------------------------------------------------------------------------------------------

-- What users do with what is their own, as often as they like. The condition is that of audit_entries_routine_idx.
CREATE OR REPLACE FUNCTION audit_is_routine(action text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT action = ANY ('{quiz.deleted,key.issued,key.revoked,key.rotated,webhook.added,webhook.changed,webhook.deleted,webhook.enabled,webhook.disabled,quiz.regraded}'::text[])
$$;

-- Entries are deleted only by retention (src/access/audit/audit-retention.service.ts): a year later, and routine ones once their
-- account has 10,000 newer routine ones. Of operators, who have no account, none are deleted earlier.
CREATE OR REPLACE FUNCTION audit_entries_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.at < now() - interval '365 days' OR (
      audit_is_routine(OLD.action) AND OLD.actor_id <> '00000000-0000-0000-0000-000000000000' AND 10000 = (
        SELECT count(*) FROM (
          SELECT FROM audit_entries
          WHERE actor_id = OLD.actor_id AND audit_is_routine(action) AND id > OLD.id LIMIT 10000
        ) AS newer
      )
    ) THEN
      RETURN OLD;
    END IF;
  ELSIF current_setting('quiz.redaction', true) = 'on' AND
    (NEW.id, NEW.at, NEW.actor_id, NEW.action, NEW.object_kind, NEW.object_id)
      = (OLD.id, OLD.at, OLD.actor_id, OLD.action, OLD.object_kind, OLD.object_id)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'Audit entries cannot be changed, nor deleted within 365 days.' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER audit_entries_keep BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION audit_entries_keep();
CREATE OR REPLACE TRIGGER audit_entries_keep_all BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_keep();

-- What entries say about a deleted account and about these objects of it; ids, actions and times stay. An account that
-- is not deleted is refused, and quizzes, keys and endpoints that somebody else has are left out. Runs with the rights of
-- the owner, as the next one.
CREATE OR REPLACE FUNCTION redact_audit_entries(account uuid, objects text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM accounts WHERE id = account AND deleted_at IS NOT NULL) THEN
    RAISE EXCEPTION 'Only entries about deleted accounts can be redacted.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM set_config('quiz.redaction', 'on', true);
  UPDATE audit_entries SET
    actor_email = CASE WHEN actor_id = account THEN 'deleted account' ELSE actor_email END,
    object_name = CASE WHEN object_id = account::text THEN 'deleted account'
                       WHEN object_kind = 'account' THEN object_name ELSE '' END,
    detail = CASE WHEN object_kind = 'account' AND object_id <> account::text THEN detail ELSE '' END
  WHERE (object_id = ANY (objects) OR (cardinality(objects) = 0 AND actor_id = account))
    AND NOT EXISTS (SELECT FROM quizzes WHERE id::text = object_id AND owner_id <> account)
    AND NOT EXISTS (SELECT FROM api_keys WHERE id::text = object_id AND account_id <> account)
    AND NOT EXISTS (SELECT FROM webhook_endpoints WHERE id::text = object_id AND account_id <> account);
  PERFORM set_config('quiz.redaction', 'off', true);
END $$;

-- Runs with the rights of the owner: the role of the service can only add entries (ops/runtime-role.sql).
CREATE OR REPLACE FUNCTION prune_audit_entries(at_most integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
WITH oldest AS (
  SELECT id, at FROM audit_entries ORDER BY id LIMIT at_most FOR UPDATE SKIP LOCKED
), routine AS (
  SELECT id, row_number() OVER (PARTITION BY actor_id ORDER BY id DESC) AS place FROM audit_entries
  WHERE audit_is_routine(action) AND actor_id <> '00000000-0000-0000-0000-000000000000'
), ended AS (
  SELECT id FROM oldest WHERE at < now() - interval '365 days'
  UNION
  SELECT id FROM routine WHERE place > 10000
  LIMIT at_most
), pruned AS (
  DELETE FROM audit_entries WHERE id IN (SELECT id FROM ended)
  RETURNING 1
)
SELECT count(*)::integer FROM pruned
$$;
