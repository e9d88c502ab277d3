-- What only versions from before the migrations 0087 and 0088 use. None of them was released.
LOCK TABLE quiz_snapshots IN ACCESS EXCLUSIVE MODE;
ALTER TABLE quiz_snapshots DROP COLUMN regrade;
DROP VIEW quiz_counts, question_counts, tag_counts, tag_facet_counts;
