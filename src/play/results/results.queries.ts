import type { EntityManager } from 'typeorm';
import { columnOf, query, queryPrepared, type Slice, sql } from '../../platform/database/sql';
import { HAS_SAME_PLAYER, PLAYER, TOTAL } from '../attempts/attempt.queries';
import type { ChoiceCell } from './check-key.rules';
import type { ChoiceSums, FlagKind, ItemSums } from './item-analysis.rules';
import type { SubmittedAttempt } from './results.dto';
import type { SumsChange } from './sums.rules';

/**
 * Adds attempts that count to the sums of their quiz, or takes them away. Others who change the same sums wait until the commit,
 * so this is the last statement of a transaction. Rows are locked in the order of their keys: no two transactions can block each
 * other. What would be taken away from rows that are gone (of former texts) is left out.
 */
export async function changeSums(
  tx: EntityManager,
  quizId: string,
  change: SumsChange,
): Promise<void> {
  const { questions, scores } = change;
  await queryPrepared(
    tx,
    sql`
WITH quiz AS (
  INSERT INTO quiz_results AS r (quiz_id, total, score, attempts, seconds)
  SELECT ${quizId}::uuid, * FROM unnest(${columnOf(scores, 'total')}::int[], ${columnOf(scores, 'score')}::int[],
    ${columnOf(scores, 'attempts')}::int[], ${columnOf(scores, 'seconds')}::bigint[])
  ON CONFLICT (quiz_id, total, score) DO UPDATE
  SET attempts = r.attempts + excluded.attempts, seconds = r.seconds + excluded.seconds
)
INSERT INTO question_results AS r (quiz_id, version, chosen, rest, is_right, attempts)
SELECT ${quizId}::uuid, version, chosen, rest, is_right, attempts
FROM unnest(${columnOf(questions, 'version')}::uuid[], ${columnOf(questions, 'chosen')}::text[],
  ${columnOf(questions, 'rest')}::int[], ${columnOf(questions, 'isCorrect')}::boolean[],
  ${columnOf(questions, 'attempts')}::int[]) AS v (version, chosen, rest, is_right, attempts)
WHERE attempts > 0 OR EXISTS (SELECT FROM question_results o
  WHERE o.quiz_id = ${quizId} AND (o.version, o.chosen, o.rest) = (v.version, v.chosen, v.rest))
ON CONFLICT (quiz_id, version, chosen, rest) DO UPDATE SET attempts = r.attempts + excluded.attempts`,
  );
  if (change.takesAway) await deleteEmptySums(tx, quizId, questions);
}

async function deleteEmptySums(
  tx: EntityManager,
  quizId: string,
  questions: SumsChange['questions'],
): Promise<void> {
  await query(
    tx,
    sql`DELETE FROM question_results
        WHERE quiz_id = ${quizId} AND version = ANY (${columnOf(questions, 'version')}::uuid[]) AND attempts <= 0`,
  );
  await query(tx, sql`DELETE FROM quiz_results WHERE quiz_id = ${quizId} AND attempts <= 0`);
}

/** Of the attempts that count. `percent` and `seconds` are means; null without an attempt. */
export interface QuizSums {
  attempts: number;
  percent: number | null;
  seconds: number | null;
}

const AVERAGES = sql`coalesce(sum(attempts), 0)::float8 AS attempts,
  (100.0 * sum(attempts::float8 * score / total) / sum(attempts))::float8 AS percent,
  (sum(seconds) / sum(attempts))::float8 AS seconds`;

export async function findQuizSums(database: EntityManager, quizId: string): Promise<QuizSums> {
  const [row] = await query<[QuizSums]>(
    database,
    sql`SELECT ${AVERAGES} FROM quiz_results WHERE quiz_id = ${quizId}`,
  );
  return row;
}

/** How many attempts that count have a score of 0 to 5 %, 5 to 15 %, … 95 to 100 %. */
export async function findScores(database: EntityManager, quizId: string): Promise<number[]> {
  const rows = await query<{ tenth: number; n: number }[]>(
    database,
    sql`SELECT round(10.0 * score / total)::int AS tenth, sum(attempts)::int AS n
        FROM quiz_results WHERE quiz_id = ${quizId} GROUP BY 1`,
  );
  const scores = Array<number>(11).fill(0);
  for (const { tenth, n } of rows) scores[tenth] = n;
  return scores;
}

/**
 * Players who have started and not submitted an attempt: the latest, and how many there are. A browser is one player, with
 * the name it has chosen last.
 */
export async function findUnfinished(
  database: EntityManager,
  quizId: string,
  limit: number,
): Promise<{ players: string[]; total: number }> {
  const [row] = await query<[{ players: string[]; total: number }]>(
    database,
    sql`
WITH open AS (
  SELECT account_id, player, ${PLAYER} AS browser, started_at FROM quiz_attempts a
  WHERE quiz_id = ${quizId} AND submitted_at IS NULL AND NOT EXISTS (
    SELECT FROM quiz_attempts b WHERE b.quiz_id = ${quizId} AND ${HAS_SAME_PLAYER} AND b.submitted_at IS NOT NULL)
), players AS (
  SELECT DISTINCT ON (account_id, browser) player, started_at FROM open ORDER BY account_id, browser, started_at DESC
)
SELECT array(SELECT player FROM players ORDER BY started_at DESC LIMIT ${limit}) AS players,
  (SELECT count(*)::int FROM players) AS total`,
  );
  return row;
}

/** The averages of one of an account's quizzes. */
export interface LatestResults extends QuizSums {
  quizId: string;
  title: string;
  submittedAt: Date;
}

/** The last played first, of the 250 quizzes that are played most. */
export function findLatestResults(database: EntityManager, ownerId: string, limit: number) {
  return query<LatestResults[]>(
    database,
    sql`SELECT l.*, s.* FROM (SELECT z.id AS "quizId", title, "submittedAt"
        FROM (SELECT id, title FROM quizzes WHERE owner_id = ${ownerId} ORDER BY plays DESC LIMIT 250) AS z
        CROSS JOIN LATERAL (SELECT submitted_at AS "submittedAt" FROM quiz_attempts
          WHERE quiz_id = z.id AND submitted_at IS NOT NULL ORDER BY submitted_at DESC LIMIT 1) AS a
        ORDER BY "submittedAt" DESC LIMIT ${limit}) AS l
     CROSS JOIN LATERAL (SELECT ${AVERAGES} FROM quiz_results WHERE quiz_id = l."quizId") AS s
     ORDER BY "submittedAt" DESC`,
  );
}

/** A version of a question, and how its present key is summed up (`keyedOf`). */
export interface KeyedVersion {
  version: string;
  keyed: string;
}

/** Scores on the other questions are put together in so many groups at most: a quiz may have 1,000 questions. */
const RESTS = 25;

export interface FoundSums {
  sums: ItemSums;
  choices: ChoiceSums[];
  cells: ChoiceCell[];
}

/**
 * The sums of these versions of questions, by version. Which choices are correct is decided by the present key. In the
 * statement `ahead` is how many have a better rest: of those with the best rests, as many as are correct are taken.
 */
export async function findItemSums(
  database: EntityManager,
  quizId: string,
  versions: readonly KeyedVersion[],
): Promise<Map<string, FoundSums>> {
  const rows = await query<
    ({ version: string; choices: ChoiceSums[]; cells: ChoiceCell[] } & ItemSums)[]
  >(
    database,
    sql`
WITH cells AS (
  SELECT version, chosen, rest, chosen = keyed AS is_right, attempts
  FROM unnest(${columnOf(versions, 'version')}::uuid[], ${columnOf(versions, 'keyed')}::text[]) AS k (version, keyed)
  JOIN question_results r USING (version) WHERE quiz_id = ${quizId}
), rests AS (
  SELECT version, rest, sum(attempts) AS n, coalesce(sum(attempts) FILTER (WHERE is_right), 0) AS rights
  FROM cells GROUP BY version, rest
), ranked AS (
  SELECT *, sum(rights) OVER (PARTITION BY version) AS taken,
    sum(n) OVER (PARTITION BY version ORDER BY rest DESC) - n AS ahead
  FROM rests
), sums AS (
  SELECT version, sum(n)::float8 AS attempts, sum(rights)::float8 AS correct, sum(n * rest)::float8 AS rest,
    sum(n * rest * rest)::float8 AS "restSquares", sum(rights * rest)::float8 AS "correctRest",
    sum(rest * greatest(0, least(n, taken - ahead)))::float8 AS "bestCorrectRest", max(rest) / ${RESTS}::int + 1 AS width
  FROM ranked GROUP BY version
), chosen AS (
  SELECT version, chosen, is_right, sum(attempts) AS n, sum(attempts * rest) AS rest
  FROM cells GROUP BY version, chosen, is_right
), grouped AS (
  SELECT version, chosen, sum(c.attempts * c.rest)::float8 / sum(c.attempts) AS rest, sum(c.attempts) AS n
  FROM cells c JOIN sums USING (version) GROUP BY version, chosen, c.rest / width
)
SELECT version, attempts, correct, s.rest, "restSquares", "correctRest", "bestCorrectRest",
  (SELECT json_agg(json_build_object('chosen', chosen, 'isCorrect', is_right, 'attempts', n, 'rest', rest))
   FROM chosen c WHERE c.version = s.version) AS choices,
  (SELECT json_agg(json_build_object('chosen', chosen, 'attempts', n, 'rest', rest))
   FROM grouped g WHERE g.version = s.version) AS cells
FROM sums s`,
  );
  return new Map(
    rows.map(({ version, choices, cells, ...sums }) => [
      version.replaceAll('-', ''),
      { sums, choices, cells },
    ]),
  );
}

/** What lists of quizzes show of their results. */
export interface QuizFigures {
  /** Whose first attempt counts. */
  players: number;
  /** Questions whose key may be wrong, as the last analysis found. */
  doubted: number;
  openReports: number;
  /** Unlisted links by which it can be started now. */
  openLinkCount: number;
}

export async function findQuizFigures(
  database: EntityManager,
  quizIds: readonly string[],
  now: Date,
): Promise<Map<string, QuizFigures>> {
  const rows = await query<({ id: string } & QuizFigures)[]>(
    database,
    sql`SELECT id, (SELECT coalesce(sum(attempts), 0)::int FROM quiz_results WHERE quiz_id = q.id) AS players,
          (SELECT count(*)::int FROM question_flags WHERE quiz_id = q.id AND kind = 'key') AS doubted,
          (SELECT count(*)::int FROM question_reports WHERE quiz_id = q.id AND closed_at IS NULL) AS "openReports",
          (SELECT count(*)::int FROM quiz_links WHERE quiz_id = q.id AND NOT opens_public
             AND (closes_at IS NULL OR closes_at > ${now})) AS "openLinkCount"
        FROM unnest(${quizIds}::uuid[]) AS q (id)`,
  );
  return new Map(rows.map(({ id, ...figures }) => [id, figures]));
}

/** What lists of questions show of their results. */
export interface QuestionFigures {
  /** Whose attempts count, and how many of them were correct. */
  attempts: number;
  correct: number;
  /** Of the last analysis. */
  flags: FlagKind[];
  openReports: number;
}

export async function findQuestionFigures(
  database: EntityManager,
  questions: readonly (KeyedVersion & { id: string; quizId: string })[],
): Promise<Map<string, QuestionFigures>> {
  const rows = await query<({ id: string } & QuestionFigures)[]>(
    database,
    sql`SELECT q.id, attempts, correct,
          ARRAY(SELECT kind FROM question_flags f WHERE f.quiz_id = q.quiz_id AND f.question_id = q.id ORDER BY kind) AS flags,
          (SELECT count(*)::int FROM question_reports r
           WHERE r.quiz_id = q.quiz_id AND r.question_id = q.id AND closed_at IS NULL) AS "openReports"
        FROM unnest(${columnOf(questions, 'id')}::uuid[], ${columnOf(questions, 'quizId')}::uuid[],
          ${columnOf(questions, 'version')}::uuid[], ${columnOf(questions, 'keyed')}::text[]) AS q (id, quiz_id, version, keyed),
        LATERAL (SELECT coalesce(sum(attempts), 0)::float8 AS attempts,
            coalesce(sum(attempts) FILTER (WHERE chosen = keyed), 0)::float8 AS correct
          FROM question_results r WHERE r.quiz_id = q.quiz_id AND r.version = q.version) AS s`,
  );
  return new Map(rows.map(({ id, ...figures }) => [id, figures]));
}

/** About what an answer takes in JSON: the text, or 39 bytes for each id, and the names. */
const ANSWER_BYTES = sql`120 + coalesce(octet_length(text), 39 * cardinality(answer_ids))`;

/** A submitted attempt before its player has a name. `answers`: null where there was no room for them. */
export type ResultRow = Omit<SubmittedAttempt, 'name' | 'answers'> & {
  answers: SubmittedAttempt['answers'] | null;
};

/**
 * Submitted attempts, newest first.
 * @param bytes how much room there is for answers, which those that come first get; the first one gets its own in any
 * case. 0: answers are not read
 * @param before the last of the page before
 */
export function findResults(
  database: EntityManager,
  quizId: string,
  since: Date | null,
  { limit, offset, bytes }: Slice & { bytes: number },
  before?: Pick<ResultRow, 'submittedAt' | 'id'>,
): Promise<ResultRow[]> {
  const older = before
    ? sql` AND (a.submitted_at, a.id) < (${before.submittedAt}, ${before.id})`
    : sql``;
  return query<ResultRow[]>(
    database,
    sql`
WITH page AS (
  SELECT a.id, a.player, a.score, ${TOTAL} AS total, a.time_spent AS "timeSpent", a.started_at AS "startedAt",
    a.submitted_at AS "submittedAt", counted
  FROM quiz_attempts a JOIN quiz_snapshots s ON s.id = a.snapshot_id
  WHERE a.quiz_id = ${quizId} AND a.submitted_at >= coalesce(${since}, '-infinity'::timestamptz)${older}
  ORDER BY a.submitted_at DESC, a.id DESC LIMIT ${limit} OFFSET ${offset}
), sized AS (
  SELECT id, row_number() OVER newest AS place,
    sum((SELECT coalesce(sum(${ANSWER_BYTES}), 0) FROM quiz_answers WHERE attempt_id = page.id)) OVER newest AS until
  FROM page WHERE ${bytes} > 0 WINDOW newest AS (ORDER BY "submittedAt" DESC, id DESC)
)
SELECT page.*, CASE WHEN until <= ${bytes} OR place = 1 THEN
    (SELECT coalesce(json_agg(json_build_object('questionId', question_id, 'answerIds', answer_ids, 'text', text,
       'correct', is_right)), '[]') FROM quiz_answers WHERE attempt_id = page.id) END AS answers
FROM page LEFT JOIN sized USING (id) ORDER BY "submittedAt" DESC, id DESC`,
  );
}

export async function countResults(
  database: EntityManager,
  quizId: string,
  since: Date | null,
): Promise<number> {
  const [row] = await query<[{ n: number }]>(
    database,
    sql`SELECT count(*)::int AS n FROM quiz_attempts
        WHERE quiz_id = ${quizId} AND submitted_at >= coalesce(${since}, '-infinity'::timestamptz)`,
  );
  return row.n;
}
