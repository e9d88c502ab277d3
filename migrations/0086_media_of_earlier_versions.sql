-- The pictures of versions that were stored before 0083.
UPDATE quiz_snapshots s SET media = found.media
FROM (SELECT v.id, array_agg(DISTINCT lower(reference[1])::uuid) AS media
      FROM quiz_snapshots v,
           regexp_matches(v.questions::text, 'media:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})', 'gi') AS reference
      WHERE v.media IS NULL AND EXISTS (SELECT FROM media)
      GROUP BY v.id) AS found
WHERE s.id = found.id;
UPDATE approved_versions a SET media = found.media
FROM (SELECT v.quiz_id, array_agg(DISTINCT lower(reference[1])::uuid) AS media
      FROM approved_versions v,
           regexp_matches(v.content::text, 'media:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})', 'gi') AS reference
      WHERE v.media IS NULL AND EXISTS (SELECT FROM media)
      GROUP BY v.quiz_id) AS found
WHERE a.quiz_id = found.quiz_id;
