-- no transaction
-- The public questions that clients of OpenTDB cannot be given: few, and subtracted from the counters.
DROP INDEX CONCURRENTLY IF EXISTS questions_not_opentdb_idx;
CREATE INDEX CONCURRENTLY questions_not_opentdb_idx ON questions (category_key, difficulty, type)
  WHERE is_public AND type <> 'OPEN_ENDED'
    AND (format <> 'plain' OR jsonb_array_length(jsonb_path_query_array(answers, '$[*] ? (@.isCorrect == true)')) <> 1);
