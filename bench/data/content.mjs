import { DIFFICULTIES, QUESTION_KINDS, QUESTION_TYPES } from '../../dist/catalog/vocabulary.js';
import { accountsAt, QUESTIONS_EACH, quizzesAt, TAGS } from './scales.mjs';
import { ADJECTIVES, KINDS, NOUNS, PLACES, TOPICS } from './words.mjs';

/**
 * The statements that make all content, as [what, SQL, parts] in order; parts are the
 * parameters of runs that may go on side by side. Each row follows from its number by hashing,
 * so the same scale is the same data everywhere. Skew is Zipf's: floor(n ^ u) for an even u from 0 to 1 falls
 * on 1, 2, 3, … with a likelihood of about 1, 1/2, 1/3, …
 */
export function contentAt(scale) {
  const quizzes = quizzesAt(scale);
  const accounts = accountsAt(scale);
  return [
    ['accounts', accountRows(accounts)],
    ['topics and categories', HIERARCHY],
    ['quizzes', quizRows(quizzes, accounts), quizParts(quizzes)],
    ['tags of quizzes', TAG_ROWS],
    ['search texts', SEARCH_ROWS],
    ['questions', QUESTION_ROWS, idParts(quizzes)],
    ['search texts of questions', QUESTION_SEARCH_ROWS],
  ];
}

/** From one number to another. */
function quizParts(quizzes) {
  const firsts = Array.from({ length: Math.ceil(quizzes / QUIZZES_A_PART) }, (_, n) => n * QUIZZES_A_PART);
  return firsts.map((first) => [first + 1, Math.min(first + QUIZZES_A_PART, quizzes)]);
}

/** The same as ids: from one to below another. */
function idParts(quizzes) {
  const idAt = (n) => {
    const ms = BEGIN + n * (YEARS / quizzes);
    return `${ms.toString(16).padStart(12, '0').replace(/^(.{8})/, '$1-')}-0000-0000-000000000000`;
  };
  return quizParts(quizzes).map(([from, to]) => [idAt(from), idAt(to + 1)]);
}

/** The first quiz is of November 2023, the last of two years later; in ms. */
const BEGIN = 1_700_000_000_000;
const YEARS = 63_072_000_000;

/** Quizzes in one run. */
const QUIZZES_A_PART = 25_000;

/** The reader's private quizzes: as many at every scale, and few (see `READER` in load.mjs). */
const READERS_QUIZZES = 20;

/** Run first in each session. */
export const FUNCTIONS = `
-- Evenly from 0 to 1; what is made of one number is told apart by the salt.
CREATE FUNCTION pg_temp.u(n bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
  RETURN (hashint8extended(n, salt) & 9007199254740991)::float8 / 9007199254740992;
CREATE FUNCTION pg_temp.pick(words text[], n bigint, salt bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN words[1 + floor(pg_temp.u(n, salt) * cardinality(words))::int];
-- An UUIDv7 of a moment (in ms since the epoch), so that ids ascend with time as the service's own do.
CREATE FUNCTION pg_temp.id(ms bigint, hash text) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid;
-- The kind of a quiz's question, as its index in counts_by_kind: most have their quiz's difficulty.
CREATE FUNCTION pg_temp.kind(luck bigint, quiz difficulty) RETURNS int LANGUAGE sql IMMUTABLE
  RETURN 1 + ${QUESTION_TYPES.length} * CASE WHEN luck & 3 = 0 THEN (luck >> 8 & 3)::int ELSE array_position('{${DIFFICULTIES}}', quiz) - 1 END
    + CASE WHEN luck >> 16 & 15 < 11 THEN 0 WHEN luck >> 16 & 15 < 14 THEN 1 ELSE 2 END;`;

const accountRows = (accounts) => `
INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at)
SELECT pg_temp.id(1700000000000 + n, md5('account' || n)), e, e, 'pro', false, now()
FROM generate_series(0, ${accounts}) AS n,
  LATERAL (SELECT CASE n WHEN 0 THEN 'reader' ELSE 'owner-' || n END || '@bench.invalid') AS t (e)`;

const HIERARCHY = `
INSERT INTO topics (id, name, slug, icon, position)
SELECT pg_temp.id(1700000000000, md5(name)), initcap(name), name, NULL, place
FROM unnest(${array(TOPICS)}) WITH ORDINALITY AS t (name, place);
INSERT INTO categories (id, topic_id, name, name_key, slug, position)
SELECT pg_temp.id(1700000000000, md5(kind || t.slug)), t.id, initcap(kind || ' ' || t.slug), kind || ' ' || t.slug,
  kind || '-' || t.slug, place
FROM topics t, unnest(${array(KINDS)}) WITH ORDINALITY AS k (kind, place)`;

/** 97 % public; the rest are drafts, waiting or rejected. Categories are Zipf's too; one in fifty has none. */
const quizRows = (quizzes, accounts) => {
  const counts = QUESTION_KINDS.map((_, index) => `count(*) FILTER (WHERE kind = ${index + 1})::int`);
  return `
INSERT INTO quizzes (id, owner_id, title, title_sort, description, category, category_key, category_id, difficulty,
  tags, tag_keys, slug, published, approval, is_public, featured, plays, question_count, counts_by_kind, created_at, updated_at, first_public_at)
SELECT b.id,
  pg_temp.id(1700000000000 + owner, md5('account' || owner)),
  initcap(title), title, 'Ten questions about ' || title || ', number ' || n || '.',
  c.name, coalesce(c.name_key, ''), c.id,
  difficulty,
  tags, tags, replace(title, ' ', '-') || '-' || n,
  state <> 'draft', CASE state WHEN 'rejected' THEN 'rejected' WHEN 'live' THEN 'approved' ELSE 'pending' END::approval,
  state = 'live', false, CASE state WHEN 'live' THEN floor((1 - pg_temp.u(n, 6)) ^ -1.2) - 1 ELSE 0 END,
  ${QUESTIONS_EACH}, counts, at, at, CASE state WHEN 'live' THEN at END
FROM generate_series($1::int, $2::int) AS n
CROSS JOIN LATERAL (SELECT ${BEGIN} + n * ${YEARS / quizzes}::bigint AS ms, pg_temp.u(n, 7) AS luck,
  n % ${quizzes / READERS_QUIZZES} = 0 AS of_reader OFFSET 0) AS a
CROSS JOIN LATERAL (SELECT pg_temp.id(ms, md5('quiz' || n)) AS id, to_timestamp(ms / 1000.0) AS at,
  CASE WHEN of_reader OR luck < 0.015 THEN 'draft' WHEN luck < 0.025 THEN 'waiting' WHEN luck < 0.03 THEN 'rejected' ELSE 'live' END AS state,
  CASE WHEN of_reader THEN 0 ELSE floor(${accounts} ^ pg_temp.u(n, 1))::int END AS owner,
  pg_temp.pick(${array(ADJECTIVES)}, n, 2) || ' ' || pg_temp.pick(${array(NOUNS)}, n, 3) || ' of ' || pg_temp.pick(${array(PLACES)}, n, 4) AS title,
  ('{EASY,MEDIUM,HARD,EXPERT}'::difficulty[])[1 + floor(4 * pg_temp.u(n, 5) ^ 1.5)::int] AS difficulty OFFSET 0) AS b
CROSS JOIN LATERAL (SELECT ARRAY[${counts.join(', ')}] AS counts FROM (
  SELECT pg_temp.kind(uuid_hash_extended(b.id, place), difficulty) AS kind
  FROM generate_series(1, ${QUESTIONS_EACH}) AS place OFFSET 0) AS k) AS m
CROSS JOIN LATERAL (SELECT ARRAY(
  SELECT 'tag ' || tag FROM (SELECT DISTINCT floor(${TAGS} ^ pg_temp.u(n, 10 + i))::int AS tag
    FROM generate_series(1, 1 + floor(4 * pg_temp.u(n, 9))::int) AS i) AS d ORDER BY tag) AS tags OFFSET 0) AS d
LEFT JOIN (SELECT row_number() OVER (ORDER BY position, slug) AS place, id, name, name_key FROM categories) AS c
  ON place = CASE WHEN pg_temp.u(n, 20) < 0.98 THEN floor(120 ^ pg_temp.u(n, 8)) END
ORDER BY n`;
};

const TAG_ROWS = `
INSERT INTO quiz_tags (tag_key, quiz_id, is_public, owner_id, category_key, difficulty)
SELECT tag_key, id, is_public, owner_id, category_key, difficulty FROM quizzes, unnest(tag_keys) AS tag_key ORDER BY id`;

const SEARCH_ROWS = `
INSERT INTO quiz_search (quiz_id, content, is_public)
SELECT id, concat_ws(E'\\x1f', title_sort, lower(description), array_to_string(tag_keys, E'\\x1f')), is_public FROM quizzes ORDER BY id`;

const QUESTION_ROWS = `
INSERT INTO questions (id, quiz_id, position, text, text_key, type, difficulty, explanation, answers, fingerprint,
  is_public, owner_id, category_key)
SELECT (substr(z.id::text, 1, 14) || '7' || substr(hash, 1, 3) || '-8' || substr(hash, 4, 3) || '-' || substr(hash, 7, 12))::uuid,
  z.id, place, text, lower(text),
  ('{${QUESTION_TYPES}}'::question_type[])[1 + (kind - 1) % ${QUESTION_TYPES.length}], ('{${DIFFICULTIES}}'::difficulty[])[1 + (kind - 1) / ${QUESTION_TYPES.length}],
  CASE WHEN luck >> 4 & 1 = 0 THEN 'It is the first that one thinks of: ' || z.title || '.' END,
  answers, hash::uuid,
  z.is_public, z.owner_id, z.category_key
FROM quizzes z
CROSS JOIN generate_series(1, ${QUESTIONS_EACH}) AS place
CROSS JOIN LATERAL (SELECT 'Which of these is the answer to question ' || place || ' about ' || z.title || '?' AS text OFFSET 0) AS t
CROSS JOIN LATERAL (SELECT uuid_hash_extended(z.id, place) AS luck, md5(z.id::text || place) AS hash OFFSET 0) AS h
CROSS JOIN LATERAL (SELECT pg_temp.kind(luck, z.difficulty) AS kind, left(hash, 31) AS stem OFFSET 0) AS k
CROSS JOIN LATERAL (SELECT ('[{"id": "' || stem || '1", "text": "The first answer", "isCorrect": true}, {"id": "' || stem
  || '2", "text": "Another answer", "isCorrect": false}' || CASE kind % ${QUESTION_TYPES.length} WHEN 1
  THEN ', {"id": "' || stem || '3", "text": "A third answer", "isCorrect": false}, {"id": "' || stem
  || '4", "text": "None of these", "isCorrect": false}' ELSE '' END || ']')::jsonb AS answers) AS a
WHERE z.id >= $1 AND z.id < $2 ORDER BY z.id, place`;

const QUESTION_SEARCH_ROWS = `
INSERT INTO question_search (quiz_id, block, content)
SELECT quiz_id, 1, string_agg(text_key, E'\\x1f' ORDER BY position) FROM questions GROUP BY quiz_id ORDER BY quiz_id`;

function array(values) {
  return `ARRAY['${values.join("', '")}']`;
}
