-- The four tables of counters become one: quizzes and questions for each tag or language within each category. A row with
-- the tag '' counts quizzes whatever their tags, one with the category ' ' those of all categories, and one with the
-- category '' those without a category. Views replace the four for the version before; 0091 drops them.

-- Whoever changes quizzes, renames a category or rebuilds the counters needs one of these locks. Readers of totals wait only
-- from the DROP until the commit.
LOCK TABLE quizzes IN SHARE ROW EXCLUSIVE MODE;
SELECT pg_advisory_xact_lock(7311093550267);
LOCK TABLE quiz_counts, question_counts, tag_counts, tag_facet_counts IN SHARE MODE;

CREATE TABLE catalog_counts (
  tag_key text COLLATE "C" NOT NULL,
  category_key text COLLATE "C" NOT NULL,
  -- as written: of a tag over all categories, or of a category whatever the tags
  name text,
  quizzes bigint NOT NULL,
  -- in the order of the difficulties
  quizzes_by_difficulty bigint[] NOT NULL,
  -- in all, and in the order of question_kinds
  question_count bigint NOT NULL,
  counts_by_kind bigint[] NOT NULL,
  CONSTRAINT catalog_counts_pkey PRIMARY KEY (tag_key, category_key)
);

-- With a tag or language.
INSERT INTO catalog_counts
SELECT tag_key, category_key, NULL, sum(quizzes),
  ARRAY(SELECT coalesce(sum(f.quizzes), 0)
        FROM unnest(enum_range(NULL::difficulty)) AS of (difficulty)
        LEFT JOIN tag_facet_counts f ON (f.tag_key, f.category_key, f.difficulty) = (t.tag_key, t.category_key, of.difficulty)
        GROUP BY of.difficulty ORDER BY of.difficulty),
  sum(questions),
  ARRAY[sum(counts_by_kind[1]), sum(counts_by_kind[2]), sum(counts_by_kind[3]), sum(counts_by_kind[4]), sum(counts_by_kind[5]), sum(counts_by_kind[6]), sum(counts_by_kind[7]), sum(counts_by_kind[8]), sum(counts_by_kind[9]), sum(counts_by_kind[10]), sum(counts_by_kind[11]), sum(counts_by_kind[12])]
FROM tag_facet_counts t GROUP BY 1, 2;

-- Whatever the tags.
INSERT INTO catalog_counts
SELECT '', category_key, max(category) FILTER (WHERE quizzes > 0), sum(quizzes),
  ARRAY(SELECT coalesce(sum(q.quizzes), 0)
        FROM unnest(enum_range(NULL::difficulty)) AS of (difficulty)
        LEFT JOIN quiz_counts q ON (q.category_key, q.difficulty) = (c.category_key, of.difficulty)
        GROUP BY of.difficulty ORDER BY of.difficulty),
  (SELECT coalesce(sum(questions), 0) FROM question_counts q WHERE q.category_key = c.category_key),
  ARRAY(SELECT coalesce(questions, 0)
        FROM question_kinds k
        LEFT JOIN question_counts q ON (q.category_key, q.difficulty, q.type) = (c.category_key, k.difficulty, k.type)
        ORDER BY index)
FROM quiz_counts c GROUP BY 2;

-- Over all categories.
INSERT INTO catalog_counts
SELECT tag_key, ' ', (SELECT tag FROM tag_counts t WHERE t.category_key = '' AND t.tag_key = c.tag_key), sum(quizzes),
  ARRAY[sum(quizzes_by_difficulty[1]), sum(quizzes_by_difficulty[2]), sum(quizzes_by_difficulty[3]), sum(quizzes_by_difficulty[4])],
  sum(question_count),
  ARRAY[sum(counts_by_kind[1]), sum(counts_by_kind[2]), sum(counts_by_kind[3]), sum(counts_by_kind[4]), sum(counts_by_kind[5]), sum(counts_by_kind[6]), sum(counts_by_kind[7]), sum(counts_by_kind[8]), sum(counts_by_kind[9]), sum(counts_by_kind[10]), sum(counts_by_kind[11]), sum(counts_by_kind[12])]
FROM catalog_counts c GROUP BY 1;

CREATE INDEX catalog_counts_popular_idx ON catalog_counts (category_key, quizzes DESC, tag_key)
  WHERE tag_key <> '' AND tag_key NOT LIKE ' %';
ANALYZE catalog_counts;

DROP TABLE quiz_counts, question_counts, tag_counts, tag_facet_counts;

CREATE VIEW quiz_counts AS
SELECT category_key, difficulty, name AS category, d.quizzes
FROM catalog_counts, unnest(enum_range(NULL::difficulty), quizzes_by_difficulty) AS d (difficulty, quizzes)
WHERE tag_key = '' AND category_key <> ' ';
-- A category is renamed.
CREATE RULE quiz_counts_name AS ON UPDATE TO quiz_counts DO INSTEAD
UPDATE catalog_counts SET name = NEW.category WHERE tag_key = '' AND category_key = OLD.category_key;

CREATE VIEW question_counts AS
SELECT category_key, difficulty, type, questions
FROM catalog_counts, unnest(counts_by_kind) WITH ORDINALITY AS k (questions, index) JOIN question_kinds USING (index)
WHERE tag_key = '' AND category_key <> ' ';

CREATE VIEW tag_counts AS
SELECT tag_key, name AS tag, quizzes, '' COLLATE "C" AS category_key FROM catalog_counts
WHERE category_key = ' ' AND tag_key <> '' AND tag_key NOT LIKE ' %'
UNION ALL
SELECT tag_key, name, quizzes, category_key FROM catalog_counts
WHERE category_key NOT IN (' ', '') AND tag_key <> '' AND tag_key NOT LIKE ' %';

CREATE VIEW tag_facet_counts AS
SELECT tag_key, category_key, difficulty, d.quizzes,
  CASE WHEN index = 1 THEN question_count ELSE 0 END AS questions,
  CASE WHEN index = 1 THEN counts_by_kind ELSE no_counts()::bigint[] END AS counts_by_kind
FROM catalog_counts,
  unnest(enum_range(NULL::difficulty), quizzes_by_difficulty) WITH ORDINALITY AS d (difficulty, quizzes, index)
WHERE tag_key <> '' AND category_key <> ' ';

-- Roles that change quizzes change the counters with them.
DO $$
DECLARE
  role regrole;
BEGIN
  FOR role IN SELECT grantee FROM pg_class, aclexplode(relacl)
              WHERE oid = 'quizzes'::regclass AND privilege_type = 'UPDATE' AND grantee NOT IN (0, relowner) LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON catalog_counts, quiz_counts, question_counts, tag_counts, tag_facet_counts TO %s', role);
  END LOOP;
END $$;

-- The trigger of the version before would write the views. These two are replaced by functions.sql, after all migrations.
CREATE FUNCTION counter_keys(quiz quizzes) RETURNS TABLE (tag_key text, category_key text, name text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT t.tag_key, c.category_key, CASE WHEN c.category_key = ' ' THEN t.tag WHEN t.tag_key = '' THEN quiz.category END
FROM string_to_array(quiz.language, '-') AS parts,
  unnest(ARRAY[''] || quiz.tag_keys
         || ARRAY(SELECT ' ' || array_to_string(parts[1:n], '-') FROM generate_series(1, cardinality(parts)) AS n),
         ARRAY[NULL] || quiz.tags) AS t (tag_key, tag),
  (VALUES (' '), (quiz.category_key)) AS c (category_key)
$$;

CREATE OR REPLACE FUNCTION quizzes_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before quizzes := OLD;
  after quizzes := NEW;
BEGIN
  IF before.is_public IS NOT TRUE AND after.is_public IS NOT TRUE THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(7311093550267);
  INSERT INTO catalog_counts AS c
  SELECT tag_key, category_key, max(name), sum(sign),
    ARRAY[sum(sign * (difficulty = 'EASY')::int), sum(sign * (difficulty = 'MEDIUM')::int), sum(sign * (difficulty = 'HARD')::int), sum(sign * (difficulty = 'EXPERT')::int)],
    sum(sign * questions),
    ARRAY[sum(sign * counts[1]), sum(sign * counts[2]), sum(sign * counts[3]), sum(sign * counts[4]), sum(sign * counts[5]), sum(sign * counts[6]), sum(sign * counts[7]), sum(sign * counts[8]), sum(sign * counts[9]), sum(sign * counts[10]), sum(sign * counts[11]), sum(sign * counts[12])]
  FROM (SELECT k.*, -1 AS sign, before.difficulty, before.question_count AS questions, before.counts_by_kind AS counts
        FROM counter_keys(before) AS k WHERE before.is_public
        UNION ALL
        SELECT k.*, 1, after.difficulty, after.question_count, after.counts_by_kind
        FROM counter_keys(after) AS k WHERE after.is_public) AS counted
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (tag_key, category_key) DO UPDATE SET
    name = CASE WHEN c.quizzes > 0 THEN c.name ELSE excluded.name END,
    quizzes = c.quizzes + excluded.quizzes,
    quizzes_by_difficulty = ARRAY(SELECT a + b FROM unnest(c.quizzes_by_difficulty, excluded.quizzes_by_difficulty) AS u (a, b)),
    question_count = c.question_count + excluded.question_count,
    counts_by_kind = ARRAY(SELECT a + b FROM unnest(c.counts_by_kind, excluded.counts_by_kind) AS u (a, b));
  RETURN NULL;
END $$;
