import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counters by which a read finds what stands at any place of a large set (src/catalog/ranks.queries.ts), and
 * the totals of a tag within a category and difficulty. Kept as the other counters are: docs/adr/0016.
 */
export class Ranks1790000007000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- The public quizzes by id, in blocks of some hundred: how many questions of each kind a block holds.
CREATE TABLE question_blocks (
  -- '' for all quizzes, 'category <key>', 'tag <key>'
  scope text COLLATE "C" NOT NULL,
  -- the block has the quizzes from this id to below the next one; those of scope '' say where blocks begin
  first_id uuid NOT NULL,
  -- the highest id that was ever counted here
  last_id uuid NOT NULL,
  quizzes integer NOT NULL,
  questions integer NOT NULL,
  -- the same kind by kind, as quizzes.question_mix
  mix integer[] NOT NULL,
  CONSTRAINT question_blocks_pkey PRIMARY KEY (scope, first_id)
);

-- What a block's quizzes have, without a look at their rows: 20 pages and not 250.
CREATE INDEX quizzes_mix_idx ON quizzes (id) INCLUDE (category_key, question_count, question_mix) WHERE is_public;

CREATE TABLE tag_facet_counts (
  tag_key text COLLATE "C" NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  -- the quizzes'
  difficulty difficulty NOT NULL,
  quizzes bigint NOT NULL,
  -- of all of them, and kind by kind as quizzes.question_mix
  questions bigint NOT NULL,
  mix bigint[] NOT NULL,
  CONSTRAINT tag_facet_counts_pkey PRIMARY KEY (tag_key, category_key, difficulty)
);

-- Adds a quiz to the counters of its kind, or with sign -1 takes it out; mix is what it has, or how it changed.
CREATE FUNCTION quizzes_rank(quiz quizzes, sign integer, mix integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  block question_blocks;
  questions integer := (SELECT sum(n) FROM unnest(mix) AS n);
BEGIN
  SELECT * INTO block FROM question_blocks WHERE scope = '' AND first_id <= quiz.id ORDER BY first_id DESC LIMIT 1;
  -- Ids ascend with time: a full block ends before a newer quiz, and nothing must be counted anew.
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

CREATE FUNCTION quizzes_rank() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- Like quizzes_count_…, and after it: whoever is here holds counters_lock().
CREATE CONSTRAINT TRIGGER quizzes_rank_on_insert_or_delete AFTER INSERT OR DELETE ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_rank();
CREATE CONSTRAINT TRIGGER quizzes_rank_on_update
  AFTER UPDATE OF published, approval, category_key, difficulty, tag_keys, question_mix ON quizzes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quizzes_rank();

-- Cuts what is public into blocks, and counts them.
INSERT INTO question_blocks (scope, first_id, last_id, quizzes, questions, mix)
SELECT '', id, id, 0, 0, array_fill(0, '{12}') FROM (
  SELECT id, row_number() OVER (ORDER BY id) AS place FROM quizzes WHERE is_public) AS q
WHERE place % 250 = 1 AND place > 1
UNION ALL SELECT '', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 0, 0, array_fill(0, '{12}');
INSERT INTO question_blocks AS c (scope, first_id, last_id, quizzes, questions, mix)
SELECT scope, first_id, max(id::text)::uuid, count(*), sum(question_count), ${sumOfMixes('integer')}
FROM quizzes CROSS JOIN LATERAL (
  SELECT first_id FROM question_blocks WHERE scope = '' AND first_id <= id ORDER BY first_id DESC LIMIT 1) AS b
CROSS JOIN LATERAL (SELECT '' AS scope UNION ALL SELECT 'category ' || category_key
  UNION ALL SELECT 'tag ' || tag_key FROM unnest(tag_keys) AS tag_key) AS s
WHERE is_public GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (scope, first_id) DO UPDATE SET last_id = excluded.last_id, quizzes = excluded.quizzes,
  questions = excluded.questions, mix = excluded.mix;
INSERT INTO tag_facet_counts (tag_key, category_key, difficulty, quizzes, questions, mix)
SELECT tag_key, category_key, difficulty, count(*), sum(question_count), ${sumOfMixes('bigint')}
FROM quizzes, unnest(tag_keys) AS tag_key WHERE is_public GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
ANALYZE question_blocks, tag_facet_counts;
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP FUNCTION quizzes_rank() CASCADE;
DROP FUNCTION quizzes_rank(quizzes, integer, integer[]);
DROP TABLE question_blocks, tag_facet_counts;
DROP INDEX quizzes_mix_idx;
`);
  }
}

function sumOfMixes(type: 'integer' | 'bigint'): string {
  const sums = Array.from({ length: 12 }, (_, kind) => `sum(question_mix[${kind + 1}])`);
  return `ARRAY[${sums.join(', ')}]::${type}[]`;
}
