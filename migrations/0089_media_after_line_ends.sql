-- The pictures of stored versions whose reference follows a line end or a tab: it was looked for in JSON, where it reads
-- `\nmedia:`, and was not found.
UPDATE quiz_snapshots s SET media = found.media
FROM (SELECT v.id, array_agg(DISTINCT lower(reference[1])::uuid) AS media
      FROM quiz_snapshots v,
           regexp_matches(v.questions::text, 'media:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})', 'gi') AS reference
      WHERE v.questions::text ~* '\\[bfnrt]media:' AND EXISTS (SELECT FROM media)
      GROUP BY v.id) AS found
WHERE s.id = found.id;
