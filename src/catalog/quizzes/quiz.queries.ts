import type { EntityManager } from 'typeorm';
import { AS_BYTES, queryPrepared } from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import { QUIZ_LIST_ITEM, QUIZ_QUESTION_DETAIL } from '../fields.queries';
import { type QuestionRow } from './quizzes.dto';
import { asJsonArray, Parameters, visibilityBranches, visibleTo } from '../sql';
import {
  alongEachCategory,
  buildWhere,
  filterConditions,
  hasTopic,
  isUnfiltered,
  quizzesBesidesFirst,
  quizzesWithTags,
  type CatalogFilter,
} from '../filters.queries';
import type { Difficulty, QuizOrder, QuizState } from '../vocabulary';

/**
 * Each order ends in the id, so that pages never overlap (contract, "sort ties"). `keys` names only the order's own
 * columns: those are in its index, so that earlier pages are skipped within it.
 */
const ORDERS = {
  popular: {
    keys: 'plays, created_at, id',
    by: 'plays DESC, created_at DESC, id DESC',
    back: 'plays, created_at, id',
  },
  newest: { keys: 'created_at, id', by: 'created_at DESC, id DESC', back: 'created_at, id' },
  title: { keys: 'title_sort, id', by: 'title_sort, id', back: 'title_sort DESC, id DESC' },
} as const;

/** The driver returns a bigint as text, and a float8 as a number, as JSON needs it. */
const LIST_COLUMNS =
  'id, title, description, category, difficulty, tags, question_count, plays::float8 AS plays, slug, time_limit AS "timeLimit", max_attempts AS "maxAttempts"';

/** A rejected quiz has this state even while it is unpublished: its owner has something to fix. */
export const QUIZ_STATE = `CASE WHEN approval = 'rejected' THEN 'rejected' WHEN NOT published THEN 'draft'
  WHEN approval = 'pending' THEN 'pending' ELSE 'live' END`;

/** What a list is of: everything that the caller may see, or only their own quizzes, in one state or in any. */
export interface Whose {
  mine: boolean;
  state?: QuizState;
}

/** The conditions of the two branches, each with its tables' `is_public` and `owner_id`. */
function branchesOf(whose: Whose, me: string): { arms: readonly [string, string]; and: string } {
  const [everybodys, mine] = visibilityBranches(me);
  if (!whose.mine) return { arms: [everybodys, mine], and: '' };
  const and = whose.state ? ` AND ${QUIZ_STATE} = '${whose.state}'` : '';
  return { arms: [`${everybodys} AND owner_id = ${me}`, mine], and };
}

/**
 * One page, as QuizListItem: the order's keys from both visibility branches, merged, and only then the page's rows.
 * The most frequent page is a prepared statement; its limit is part of the text, since PostgreSQL would otherwise
 * plan for an unknown limit. A page past the middle is read from the end: skipping a million others took 480 to 700
 * ms.
 * @param total as countQuizzes returns it; without it every page is read from the beginning
 */
export async function findQuizPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  page: { sort: QuizOrder; limit: number; offset: number },
  total = Infinity,
  whose: Whose = { mine: false },
): Promise<JsonText> {
  const sql = new Parameters();
  const { keys, by, back } = ORDERS[page.sort];
  const rest = total - page.offset;
  const slice =
    rest < page.offset
      ? { order: back, limit: Math.min(page.limit, rest), offset: Math.max(0, rest - page.limit) }
      : { order: by, limit: page.limit, offset: page.offset };
  const isFirst = page.offset === 0 && isUnfiltered(filter);
  const number = isFirst ? String : sql.add;
  const upTo = number(slice.offset + slice.limit);
  const {
    arms: [everybodys, mine],
    and,
  } = branchesOf(whose, sql.add(accountId));
  const arms = [
    ...alongEachCategory(filter).map((one) => buildWhere(one, sql, 'id')(everybodys)),
    buildWhere(filter, sql, 'id')(mine),
  ].map(
    (where) =>
      `(SELECT ${keys} FROM quizzes WHERE ${where}${and} ORDER BY ${slice.order} LIMIT ${upTo})`,
  );
  const text = asJsonArray(
    `SELECT ${QUIZ_LIST_ITEM}${whose.mine ? OWN_COLUMNS : ''} FROM quizzes z
     JOIN (SELECT id FROM (${arms.join(' UNION ALL ')}) AS keys
           ORDER BY ${slice.order} LIMIT ${number(slice.limit)} OFFSET ${number(slice.offset)}) AS page USING (id)
     ORDER BY ${by}`,
  );
  const [row] = isFirst
    ? await queryPrepared<[{ json: string }]>(database, text, sql.values)
    : await database.query<[{ json: string }]>(text, sql.values);
  return new JsonText(row.json);
}

const OWN_COLUMNS = `, ${QUIZ_STATE} AS state, z.rejection_reason AS "rejectionReason",
  z.time_limit AS "timeLimit", z.max_attempts AS "maxAttempts"`;

/**
 * How many quizzes there are over all pages. Public ones come from the counters, and with several tags from the index
 * of quiz_tags as well; the caller's few private ones are counted.
 */
export async function countQuizzes(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  whose: Whose = { mine: false },
): Promise<number> {
  const sql = new Parameters();
  const narrowed = buildWhere(filter, sql, 'id');
  const {
    arms: [everybodys, mine],
    and,
  } = branchesOf(whose, sql.add(accountId));
  const count = (arm: string) => `SELECT count(*) FROM quizzes WHERE ${narrowed(arm)}${and}`;
  const text = `SELECT ((${whose.mine ? count(everybodys) : countOf(everybodys, filter, narrowed, sql)})
           + (${count(mine)}))::int AS total`;
  const [row] = isUnfiltered(filter)
    ? await queryPrepared<[{ total: number }]>(database, text, sql.values)
    : await database.query<[{ total: number }]>(text, sql.values);
  return row.total;
}

function countOf(
  everybodys: string,
  filter: CatalogFilter,
  narrowed: (arm: string) => string,
  sql: Parameters,
): string {
  if (filter.topic !== undefined)
    return isUnfiltered({ ...filter, topic: undefined })
      ? `SELECT count(*) FROM quiz_search WHERE ${everybodys} AND ${hasTopic(filter.topic, sql)}`
      : `SELECT count(*) FROM quizzes WHERE ${narrowed(everybodys)}`;
  // quiz_tags and quiz_counts have the columns that these conditions name.
  const facets = filterConditions(filter, sql);
  if (filter.tags.length === 0)
    return `SELECT coalesce(sum(quizzes), 0) FROM quiz_counts WHERE ${['true', ...facets].join(' AND ')}`;
  const ofFirst = () =>
    `SELECT coalesce(sum(quizzes), 0) FROM tag_facet_counts
     WHERE ${[`tag_key = ${sql.add(filter.tags[0])}`, ...facets].join(' AND ')}`;
  if (filter.tags.length === 1) return ofFirst();
  const conditions = [everybodys, ...facets];
  if (filter.tagsMatch === 'all')
    return `SELECT count(*) FROM (${quizzesWithTags(filter, sql)(conditions.join(' AND '))}) AS tagged`;
  return `SELECT (${ofFirst()}) + (SELECT count(DISTINCT quiz_id) FROM (${quizzesBesidesFirst(filter, sql, conditions)}) AS others)`;
}

/** Of `quizzes`: changes with every edit of the quiz or its questions (advance_updated_at), and not when it is played. */
export const QUIZ_VERSION = `(extract(epoch FROM updated_at) * 1000000)::bigint::text`;

/** QuizDetail as JSON text from PostgreSQL. */
export async function findQuizDetailJson(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<JsonText<Buffer> | null> {
  type Row = { json: Buffer; version: Buffer };
  const values = [id, accountId];
  const [row] = await queryPrepared<Row[]>(database, QUIZ_DETAIL_JSON, values, AS_BYTES);
  return row ? new JsonText(row.json, String(row.version)) : null;
}

const QUIZ_DETAIL_JSON = `
SELECT (
  SELECT row_to_json(quiz)::text FROM (
    SELECT ${QUIZ_LIST_ITEM}, (
      SELECT coalesce(json_agg(question ORDER BY question."order"), '[]')
      FROM (SELECT ${QUIZ_QUESTION_DETAIL} FROM questions q WHERE q.quiz_id = z.id) AS question) AS questions) AS quiz) AS json,
  ${QUIZ_VERSION} AS version
FROM quizzes z WHERE id = $1 AND ${visibleTo('$2')}`;

interface QuizListRow {
  id: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  question_count: number;
  plays: number;
  slug: string;
  timeLimit: number | null;
  maxAttempts: number | null;
}

export type QuizWithQuestions = QuizListRow & { questions: QuestionRow[] };

/** A quiz with all its questions in one statement: 313 µs, where entities and relations take 2,437 µs. */
export async function findQuizDetail(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<QuizWithQuestions | null> {
  const [quiz] = await queryPrepared<QuizWithQuestions[]>(
    database,
    `SELECT ${LIST_COLUMNS},
       (SELECT coalesce(json_agg(json_build_object(
          'id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
          'explanation', q.explanation, 'position', q.position, 'answers', q.answers) ORDER BY q.position), '[]')
        FROM questions q WHERE q.quiz_id = z.id) AS questions
     FROM quizzes z WHERE id = $1 AND ${visibleTo('$2')}`,
    [id, accountId],
  );
  return quiz ?? null;
}
