import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What follows from a quiz is kept by the database itself, so that no writer can forget it (docs/adr/0004):
 * the copies on its questions and tags at once, the counters at the commit.
 */
export class DerivedData1790000001000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- The copies on questions and tags follow their quiz at once.
CREATE FUNCTION quizzes_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (OLD.is_public, OLD.owner_id, OLD.category_key) IS DISTINCT FROM (NEW.is_public, NEW.owner_id, NEW.category_key) THEN
      UPDATE questions SET is_public = NEW.is_public, owner_id = NEW.owner_id, category_key = NEW.category_key
      WHERE quiz_id = NEW.id;
    END IF;
    DELETE FROM quiz_tags WHERE quiz_id = NEW.id;
  END IF;
  INSERT INTO quiz_tags (tag_key, quiz_id, is_public, owner_id, category_key, difficulty)
  SELECT tag_key, NEW.id, NEW.is_public, NEW.owner_id, NEW.category_key, NEW.difficulty
  FROM unnest(NEW.tag_keys) AS tag_key;
  RETURN NULL;
END $$;
CREATE TRIGGER quizzes_copy_on_insert AFTER INSERT ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_copy();
CREATE TRIGGER quizzes_copy_on_update AFTER UPDATE OF published, approval, owner_id, category_key, difficulty, tag_keys ON quizzes
  FOR EACH ROW EXECUTE FUNCTION quizzes_copy();

-- What one version of a quiz adds to the counters, times sign; nothing while it is not public.
-- Keys are sorted, so that two changes at once take the counters' rows in the same order.
CREATE FUNCTION quizzes_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before quizzes := OLD;
  after quizzes := NEW;
BEGIN
  IF before.is_public IS NOT TRUE AND after.is_public IS NOT TRUE THEN
    RETURN NULL;
  END IF;

  IF (before.is_public, before.category_key, before.category, before.difficulty, before.tag_keys)
     IS DISTINCT FROM (after.is_public, after.category_key, after.category, after.difficulty, after.tag_keys) THEN
    INSERT INTO quiz_counts AS c (category_key, difficulty, category, quizzes)
    SELECT category_key, difficulty, max(category), sum(sign)
    FROM (SELECT before.category_key, before.difficulty, before.category, -1 AS sign WHERE before.is_public
          UNION ALL
          SELECT after.category_key, after.difficulty, after.category, 1 WHERE after.is_public) AS v
    GROUP BY 1, 2 HAVING sum(sign) <> 0 ORDER BY 1, 2
    ON CONFLICT (category_key, difficulty) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
      -- A spelling goes with the last quiz that was counted under it.
      category = CASE WHEN c.quizzes > 0 THEN c.category ELSE excluded.category END;

    INSERT INTO tag_counts AS c (tag_key, tag, quizzes)
    SELECT tag_key, max(tag), sum(sign)
    FROM (SELECT tag_key, tag, -1 AS sign FROM unnest(before.tag_keys, before.tags) AS t (tag_key, tag) WHERE before.is_public
          UNION ALL
          SELECT tag_key, tag, 1 FROM unnest(after.tag_keys, after.tags) AS t (tag_key, tag) WHERE after.is_public) AS v
    GROUP BY 1 HAVING sum(sign) <> 0 ORDER BY 1
    ON CONFLICT (tag_key) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
      tag = CASE WHEN c.quizzes > 0 THEN c.tag ELSE excluded.tag END;

    INSERT INTO category_tag_counts AS c (category_key, tag_key, quizzes)
    SELECT category_key, tag_key, sum(sign)
    FROM (SELECT before.category_key, tag_key, -1 AS sign FROM unnest(before.tag_keys) AS tag_key WHERE before.is_public
          UNION ALL
          SELECT after.category_key, tag_key, 1 FROM unnest(after.tag_keys) AS tag_key WHERE after.is_public) AS v
    GROUP BY 1, 2 HAVING sum(sign) <> 0 ORDER BY 1, 2
    ON CONFLICT (category_key, tag_key) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes;
  END IF;

  INSERT INTO question_counts AS c (category_key, difficulty, type, questions)
  SELECT category_key,
         (enum_range(NULL::difficulty))[(place - 1) / 3 + 1],
         (enum_range(NULL::question_type))[(place - 1) % 3 + 1],
         sum(n)
  FROM (SELECT before.category_key, place, -n AS n
        FROM unnest(before.question_mix) WITH ORDINALITY AS m (n, place) WHERE before.is_public
        UNION ALL
        SELECT after.category_key, place, n
        FROM unnest(after.question_mix) WITH ORDINALITY AS m (n, place) WHERE after.is_public) AS v
  GROUP BY category_key, place HAVING sum(n) <> 0 ORDER BY category_key, place
  ON CONFLICT (category_key, difficulty, type) DO UPDATE SET questions = c.questions + excluded.questions;
  RETURN NULL;
END $$;
-- Deferred to the commit: the counters' rows are shared by many writers and are locked as late as can be.
CREATE CONSTRAINT TRIGGER quizzes_count_on_insert_or_delete AFTER INSERT OR DELETE ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_count();
CREATE CONSTRAINT TRIGGER quizzes_count_on_update
  AFTER UPDATE OF published, approval, category, category_key, difficulty, tags, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_count();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP FUNCTION quizzes_copy() CASCADE;
DROP FUNCTION quizzes_count() CASCADE;
`);
  }
}
