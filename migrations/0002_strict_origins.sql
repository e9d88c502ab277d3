-- Hosts with characters such as ; or , were accepted as web origins. In the list of websites that may show quizzes in a
-- frame they added directives to the Content-Security-Policy. The service now refuses them (scope.rules.ts).
UPDATE accounts SET embed_origins = ARRAY(
  SELECT origin FROM unnest(embed_origins) WITH ORDINALITY AS listed (origin, place)
  WHERE origin = '*' OR origin ~* '^https?://((\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$'
  ORDER BY place
)
WHERE EXISTS (
  SELECT FROM unnest(embed_origins) AS origin
  WHERE origin <> '*' AND origin !~* '^https?://((\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$'
);

-- A key without origins works on every website, so a key with no valid one keeps what it has: no browser sends that.
UPDATE api_keys SET origins = valid
FROM (
  SELECT id, ARRAY(
    SELECT origin FROM unnest(origins) WITH ORDINALITY AS listed (origin, place)
    WHERE origin ~* '^https?://((\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$'
    ORDER BY place
  ) AS valid
  FROM api_keys
) AS cleaned
WHERE cleaned.id = api_keys.id AND valid <> '{}' AND valid <> origins;
