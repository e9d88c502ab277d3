import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A second level of question_blocks: blocks of blocks. At a million quizzes a running sum read 3,900 blocks, two
 * thirds of what a deep page of browsing cost; it reads 125 blocks of the second level now and 64 of the first.
 */
export class BlocksOfBlocks1790000015000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- A writer whose trigger was waiting for question_blocks would go on with its old ON CONFLICT, which nothing matches.
LOCK TABLE quizzes IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE question_blocks IN ACCESS EXCLUSIVE MODE;
-- As many public quizzes make a block full.
CREATE FUNCTION question_block_size(level integer) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN CASE level WHEN 1 THEN 125 ELSE 8000 END;

-- The lowest id of tomorrow: only a wrong clock makes higher ones.
CREATE FUNCTION id_of_tomorrow() RETURNS uuid LANGUAGE sql STABLE
  RETURN (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + 86400000), 12, '0') || repeat('0', 20))::uuid;

-- 1: some hundred quizzes; 2: the same of thousands, which begins where one of level 1 does
ALTER TABLE question_blocks ADD COLUMN level integer NOT NULL DEFAULT 1;
ALTER TABLE question_blocks ALTER COLUMN level DROP DEFAULT;
ALTER TABLE question_blocks DROP CONSTRAINT question_blocks_pkey;
ALTER TABLE question_blocks ADD CONSTRAINT question_blocks_pkey PRIMARY KEY (scope, level, first_id);

INSERT INTO question_blocks (scope, level, first_id, last_id, quizzes, questions, mix)
SELECT scope, 2, wide.first_id, max(last_id::text)::uuid, sum(quizzes), sum(questions), ${ofEach('sum(mix[#])')}::integer[]
FROM question_blocks CROSS JOIN LATERAL (
  SELECT first_id FROM (
    SELECT first_id, row_number() OVER (ORDER BY first_id) AS place FROM question_blocks WHERE scope = '') AS b
  WHERE place % 32 = 1 AND first_id <= question_blocks.first_id ORDER BY first_id DESC LIMIT 1) AS wide
GROUP BY 1, 3 ORDER BY 1, 3;
ANALYZE question_blocks;

-- As before (Ranks1790000007000), on both levels; what is added kind by kind is written out, since a subquery for
-- each row took as long as the row.
CREATE OR REPLACE FUNCTION quizzes_rank(quiz quizzes, sign integer, mix integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  block question_blocks;
  wide question_blocks;
  ahead boolean;
  questions integer := (SELECT sum(n) FROM unnest(mix) AS n);
BEGIN
  SELECT * INTO block FROM question_blocks
  WHERE scope = '' AND level = 1 AND first_id <= quiz.id ORDER BY first_id DESC LIMIT 1;
  SELECT * INTO wide FROM question_blocks
  WHERE scope = '' AND level = 2 AND first_id <= quiz.id ORDER BY first_id DESC LIMIT 1;
  -- Ids ascend with time: a full block ends before a newer quiz, and nothing must be counted anew. Before a quiz from
  -- the future each ends, full or not: all that is made until then would come before that quiz, and never end it.
  ahead := sign > 0 AND quiz.id >= id_of_tomorrow() AND block.first_id < id_of_tomorrow();
  IF sign > 0 AND (ahead OR block.quizzes >= question_block_size(1)) AND quiz.id > block.last_id THEN
    block.first_id := quiz.id;
    IF (ahead OR wide.quizzes >= question_block_size(2)) AND quiz.id > wide.last_id THEN
      wide.first_id := quiz.id;
    END IF;
  END IF;
  INSERT INTO question_blocks AS c (scope, level, first_id, last_id, quizzes, questions, mix)
  SELECT scope, level, first_id, quiz.id, sign, questions, quizzes_rank.mix
  FROM (SELECT '' AS scope UNION ALL SELECT 'category ' || quiz.category_key
        UNION ALL SELECT 'tag ' || tag_key FROM unnest(quiz.tag_keys) AS tag_key) AS s,
    (VALUES (1, block.first_id), (2, wide.first_id)) AS b (level, first_id)
  ON CONFLICT (scope, level, first_id) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
    questions = c.questions + excluded.questions, last_id = greatest(c.last_id, excluded.last_id), mix = ${ofEach('c.mix[#] + excluded.mix[#]')};
  INSERT INTO tag_facet_counts AS c (tag_key, category_key, difficulty, quizzes, questions, mix)
  SELECT tag_key, quiz.category_key, quiz.difficulty, sign, questions, quizzes_rank.mix FROM unnest(quiz.tag_keys) AS tag_key
  ON CONFLICT (tag_key, category_key, difficulty) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
    questions = c.questions + excluded.questions, mix = ${ofEach('c.mix[#] + excluded.mix[#]')};
END $$;

CREATE OR REPLACE FUNCTION quizzes_rank() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before quizzes := OLD;
  after quizzes := NEW;
  had integer[] := before.question_mix;
  has integer[] := after.question_mix;
BEGIN
  IF before.is_public AND after.is_public
     AND (before.category_key, before.difficulty, before.tag_keys) = (after.category_key, after.difficulty, after.tag_keys) THEN
    IF had <> has THEN
      PERFORM quizzes_rank(after, 0, ${ofEach('has[#] - had[#]')});
    END IF;
    RETURN NULL;
  END IF;
  IF before.is_public THEN
    PERFORM quizzes_rank(before, -1, ${ofEach('-had[#]')});
  END IF;
  IF after.is_public THEN
    PERFORM quizzes_rank(after, 1, has);
  END IF;
  RETURN NULL;
END $$;
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DELETE FROM question_blocks WHERE level = 2;
ALTER TABLE question_blocks DROP CONSTRAINT question_blocks_pkey;
ALTER TABLE question_blocks DROP COLUMN level;
ALTER TABLE question_blocks ADD CONSTRAINT question_blocks_pkey PRIMARY KEY (scope, first_id);
DROP FUNCTION question_block_size(integer), id_of_tomorrow();

CREATE OR REPLACE FUNCTION quizzes_rank(quiz quizzes, sign integer, mix integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  block question_blocks;
  questions integer := (SELECT sum(n) FROM unnest(mix) AS n);
BEGIN
  SELECT * INTO block FROM question_blocks WHERE scope = '' AND first_id <= quiz.id ORDER BY first_id DESC LIMIT 1;
  IF sign > 0 AND block.quizzes >= 250 AND quiz.id > block.last_id THEN
    block.first_id := quiz.id;
  END IF;
  INSERT INTO question_blocks AS c (scope, first_id, last_id, quizzes, questions, mix)
  SELECT scope, block.first_id, quiz.id, sign, questions, quizzes_rank.mix
  FROM (SELECT '' AS scope UNION ALL SELECT 'category ' || quiz.category_key
        UNION ALL SELECT 'tag ' || tag_key FROM unnest(quiz.tag_keys) AS tag_key) AS s
  ON CONFLICT (scope, first_id) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
    questions = c.questions + excluded.questions, last_id = greatest(c.last_id, excluded.last_id), mix = ARRAY(
    SELECT kept + added FROM unnest(c.mix, excluded.mix) WITH ORDINALITY AS m (kept, added, place) ORDER BY place);
  INSERT INTO tag_facet_counts AS c (tag_key, category_key, difficulty, quizzes, questions, mix)
  SELECT tag_key, quiz.category_key, quiz.difficulty, sign, questions, quizzes_rank.mix FROM unnest(quiz.tag_keys) AS tag_key
  ON CONFLICT (tag_key, category_key, difficulty) DO UPDATE SET quizzes = c.quizzes + excluded.quizzes,
    questions = c.questions + excluded.questions, mix = ARRAY(
    SELECT kept + added FROM unnest(c.mix, excluded.mix) WITH ORDINALITY AS m (kept, added, place) ORDER BY place);
END $$;

CREATE OR REPLACE FUNCTION quizzes_rank() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before quizzes := OLD;
  after quizzes := NEW;
BEGIN
  IF before.is_public AND after.is_public
     AND (before.category_key, before.difficulty, before.tag_keys) = (after.category_key, after.difficulty, after.tag_keys) THEN
    PERFORM quizzes_rank(after, 0, ARRAY(SELECT now - was FROM unnest(before.question_mix, after.question_mix)
      WITH ORDINALITY AS m (was, now, place) ORDER BY place)) WHERE before.question_mix <> after.question_mix;
    RETURN NULL;
  END IF;
  IF before.is_public THEN
    PERFORM quizzes_rank(before, -1, ARRAY(SELECT -n FROM unnest(before.question_mix) WITH ORDINALITY AS m (n, place) ORDER BY place));
  END IF;
  IF after.is_public THEN
    PERFORM quizzes_rank(after, 1, after.question_mix);
  END IF;
  RETURN NULL;
END $$;
`);
  }
}

/** An array of what `of` says of each of the twelve kinds, # being its place. */
function ofEach(of: string): string {
  const kinds = Array.from({ length: 12 }, (_, kind) => of.replaceAll('#', String(kind + 1)));
  return `ARRAY[${kinds.join(', ')}]`;
}
