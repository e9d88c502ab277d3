-- The figures of a question survive a change of its key, so the version to which they belong no longer contains the key
-- (versionOf in src/play/results/item-analysis.rules.ts). Both hashes are those of JSON.stringify.
LOCK TABLE question_results IN SHARE ROW EXCLUSIVE MODE;
UPDATE question_results r SET version = v.present
FROM (
  SELECT quiz_id,
    left(encode(sha256(convert_to(head || former || ']]', 'UTF8')), 'hex'), 32)::uuid AS former,
    left(encode(sha256(convert_to(head || present || ']]', 'UTF8')), 'hex'), 32)::uuid AS present
  FROM questions q
  CROSS JOIN LATERAL (SELECT '["' || id || '","' || type || '",' || to_json(text) || ',[' AS head) AS h
  CROSS JOIN LATERAL (
    SELECT string_agg('[' || (a -> 'id')::text || ',' || (a -> 'text')::text || ',' || (a -> 'isCorrect')::text || ']', ',' ORDER BY place) AS former,
      CASE WHEN q.type = 'OPEN_ENDED' THEN ''
        ELSE string_agg('[' || (a -> 'id')::text || ',' || (a -> 'text')::text || ']', ',' ORDER BY place) END AS present
    FROM jsonb_array_elements(answers) WITH ORDINALITY AS e (a, place)) AS answers
) AS v
WHERE r.quiz_id = v.quiz_id AND r.version = v.former;
