-- How often a tag is used within a category is counted in the table that counts it over all of them (category_key '').
LOCK TABLE tag_counts, category_tag_counts IN ACCESS EXCLUSIVE MODE;
ALTER TABLE tag_counts
  ADD COLUMN category_key text COLLATE "C" NOT NULL DEFAULT '',
  DROP CONSTRAINT tag_counts_pkey,
  ADD CONSTRAINT tag_counts_pkey PRIMARY KEY (category_key, tag_key);
ALTER TABLE tag_counts ALTER COLUMN category_key DROP DEFAULT;
INSERT INTO tag_counts (category_key, tag_key, tag, quizzes)
SELECT c.category_key, c.tag_key, t.tag, c.quizzes
FROM category_tag_counts c JOIN tag_counts t ON t.category_key = '' AND t.tag_key = c.tag_key
WHERE c.category_key <> '';
DROP INDEX tag_counts_popular_idx;
CREATE INDEX tag_counts_popular_idx ON tag_counts (category_key, quizzes DESC, tag_key);
DROP TABLE category_tag_counts;
