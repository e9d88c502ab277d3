import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Quizzes of a disabled account are withheld: `is_public` depends on their owner as well, and everything that is
 * derived from it (copies, counters, search) follows. `is_public` was a generated column; a trigger computes it now,
 * because PostgreSQL before 17 changes the expression of one only by rewriting the table and its indexes.
 */
export class WithdrawnPrivileges1790000021000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
LOCK TABLE accounts, quizzes IN ACCESS EXCLUSIVE MODE;
-- true while the owner's account is disabled
ALTER TABLE quizzes ADD COLUMN withheld boolean NOT NULL DEFAULT false;
ALTER TABLE quizzes ALTER COLUMN is_public DROP EXPRESSION IF EXISTS;
${followers('published, approval, withheld')}
CREATE OR REPLACE FUNCTION quizzes_visibility() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- Locked as the foreign key locks it: who disables the account comes before or after, and finds the quiz.
    SELECT disabled_at IS NOT NULL INTO NEW.withheld FROM accounts WHERE id = NEW.owner_id FOR KEY SHARE;
    NEW.withheld := coalesce(NEW.withheld, false);
  END IF;
  NEW.is_public := NEW.published AND NEW.approval = 'approved' AND NOT NEW.withheld;
  RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS quizzes_visibility ON quizzes;
CREATE TRIGGER quizzes_visibility BEFORE INSERT OR UPDATE OF published, approval, withheld, is_public ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_visibility();

CREATE FUNCTION accounts_withhold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE quizzes q SET withheld = NEW.disabled_at IS NOT NULL
  FROM (SELECT id FROM quizzes WHERE owner_id = NEW.id ORDER BY id FOR NO KEY UPDATE) AS owned WHERE q.id = owned.id;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_withhold AFTER UPDATE OF disabled_at ON accounts
  FOR EACH ROW WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION accounts_withhold();

-- What earlier versions left behind: endpoints for all accounts whose owner has lost the right, with what waits for them.
CREATE TEMPORARY TABLE overreaching ON COMMIT DROP AS
  SELECT e.id, e.account_id FROM webhook_endpoints e JOIN accounts a ON a.id = e.account_id
  WHERE e.all_accounts AND (NOT a.is_admin OR a.disabled_at IS NOT NULL);
UPDATE webhook_endpoints SET all_accounts = false, disabled_at = coalesce(disabled_at, now()),
  disabled_reason = 'It received the events of all accounts, and its owner may not any more. Enable it to receive those of your own account.'
WHERE id IN (SELECT id FROM overreaching);
UPDATE webhook_deliveries d SET state = 'idle', wake_at = NULL, next_attempt_at = NULL, lease_token = NULL, leased_at = NULL,
  is_manual = false, status = CASE WHEN status = 'pending' THEN 'cancelled' ELSE status END, finished_at = coalesce(finished_at, now())
FROM overreaching e, outbox_events o
WHERE d.endpoint_id = e.id AND o.id = d.event_id AND o.account_id <> e.account_id AND d.state <> 'idle';

UPDATE quizzes SET withheld = true FROM accounts a WHERE a.id = owner_id AND a.disabled_at IS NOT NULL;
`);
  }

  /** `is_public` stays a column that a trigger computes. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(`UPDATE quizzes SET withheld = false WHERE withheld`);
    await db.query(`SET CONSTRAINTS ALL IMMEDIATE`);
    await db.query(`
DROP FUNCTION accounts_withhold() CASCADE;
${followers('published, approval')}
CREATE OR REPLACE FUNCTION quizzes_visibility() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_public := NEW.published AND NEW.approval = 'approved';
  RETURN NEW;
END $$;
DROP TRIGGER quizzes_visibility ON quizzes;
CREATE TRIGGER quizzes_visibility BEFORE INSERT OR UPDATE OF published, approval, is_public ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_visibility();
ALTER TABLE quizzes DROP COLUMN withheld;
`);
  }
}

/** The triggers that follow `is_public`, as earlier migrations made them, on updates of these columns. */
const followers = (visibility: string) => `
DROP TRIGGER quizzes_copy_on_update ON quizzes;
CREATE TRIGGER quizzes_copy_on_update AFTER UPDATE OF ${visibility}, owner_id, category_key, difficulty, tag_keys ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_copy();
DROP TRIGGER quizzes_copy_to_search ON quizzes;
CREATE TRIGGER quizzes_copy_to_search AFTER UPDATE OF ${visibility} ON quizzes
  FOR EACH ROW WHEN (OLD.is_public <> NEW.is_public) EXECUTE FUNCTION quizzes_copy_to_search();
DROP TRIGGER quizzes_a_turn_on_update ON quizzes;
CREATE CONSTRAINT TRIGGER quizzes_a_turn_on_update
  AFTER UPDATE OF ${visibility}, category, category_key, difficulty, tags, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_public OR NEW.is_public) EXECUTE FUNCTION quizzes_counters_turn();
DROP TRIGGER quizzes_count_on_update ON quizzes;
CREATE CONSTRAINT TRIGGER quizzes_count_on_update
  AFTER UPDATE OF ${visibility}, category, category_key, difficulty, tags, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_count();
DROP TRIGGER quizzes_rank_on_update ON quizzes;
CREATE CONSTRAINT TRIGGER quizzes_rank_on_update
  AFTER UPDATE OF ${visibility}, category_key, difficulty, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_rank();`;
