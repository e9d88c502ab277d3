import type { EntityManager } from 'typeorm';
import {
  AS_BYTES,
  join,
  literal,
  query,
  queryPrepared,
  type Slice,
  type Sql,
  sql,
} from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import { countOfQuizzes, rowsFor, WITHOUT_TAG_FILTER } from '../catalog-counts.queries';
import {
  asJsonArray,
  QUIZ_LIST_ITEM,
  QUIZ_QUESTION_DETAIL,
  QUIZ_VERSION,
  RULES_OF_PLAY,
} from '../fields.queries';
import {
  alongEachCategory,
  buildWhere,
  type CatalogFilter,
  filterConditions,
  isUnfiltered,
} from '../filters.queries';
import {
  languageKeys,
  quizzesBesidesFirst,
  quizzesInLanguages,
  quizzesWithTags,
} from '../tag-filter.queries';
import { contentContains } from '../text-filter.queries';
import { visibilityBranches, visibleTo } from '../visibility.queries';
import type { Difficulty, QuizOrder, QuizState, RulesOfPlay } from '../vocabulary';
import type { StoredQuestion } from './quizzes.dto';

/**
 * Each order ends in the id, so that pages never overlap (contract, "sort ties"). `keys` names only the order's own
 * columns: those are in its index, so that earlier pages are skipped within it.
 */
const ORDERS = {
  popular: {
    keys: sql`plays, created_at, id`,
    forward: sql`plays DESC, created_at DESC, id DESC`,
    backward: sql`plays, created_at, id`,
  },
  newest: {
    keys: sql`created_at, id`,
    forward: sql`created_at DESC, id DESC`,
    backward: sql`created_at, id`,
  },
  title: {
    keys: sql`title_sort, id`,
    forward: sql`title_sort, id`,
    backward: sql`title_sort DESC, id DESC`,
  },
} satisfies Record<QuizOrder, Record<'keys' | 'forward' | 'backward', Sql>>;

/** The driver returns a bigint as text, and a float8 as a number, as JSON needs it. */
const DETAIL_COLUMNS = sql`id, title, description, category, difficulty, tags, language, question_count, plays::float8 AS plays, slug,
  ${RULES_OF_PLAY}`;

/** A rejected quiz has this state even while it is unpublished: its owner has something to fix. */
export const QUIZ_STATE = sql`CASE WHEN approval = 'rejected' THEN 'rejected' WHEN NOT published THEN 'draft'
  WHEN approval = 'pending' THEN 'pending' ELSE 'live' END`;

/** What a list is of: everything that the caller may see, or only their own quizzes, in one state or in any. */
export interface ListScope {
  mine: boolean;
  state?: QuizState;
}

/**
 * The two branches, as conditions on tables with `is_public` and `owner_id`, and one on `quizzes` for both. Those of one
 * owner are two as well: each index of quiz_tags is of one branch.
 */
function branchesOf(accountId: string, { mine, state }: ListScope) {
  const [publicBranch, ownBranch] = visibilityBranches(accountId);
  if (!mine) return { publicBranch, ownBranch, inState: sql`` };
  return {
    publicBranch: sql`${publicBranch} AND owner_id = ${accountId}`,
    ownBranch,
    inState: state ? sql` AND ${QUIZ_STATE} = ${state}` : sql``,
  };
}

/**
 * One page, as QuizListItem: the order's keys from both visibility branches, merged, and only then the page's rows.
 * The most frequent page is a prepared statement; its limit is part of the text, since PostgreSQL would otherwise
 * plan for an unknown limit. A page past the middle is read from the end: skipping a million others took 480 to 700
 * ms.
 * @param total as countQuizzes returns it: the page must begin before it
 */
export async function findQuizPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  page: Slice & Partial<ListScope> & { sort: QuizOrder; include?: readonly 'language'[] },
  total: number,
): Promise<JsonText> {
  const { keys, forward, backward } = ORDERS[page.sort];
  const rest = total - page.offset;
  const { order, limit, offset } =
    rest < page.offset
      ? {
          order: backward,
          limit: Math.min(page.limit, rest),
          offset: Math.max(0, rest - page.limit),
        }
      : { ...page, order: forward };
  const isWithLanguage = page.mine === true || page.include?.includes('language') === true;
  const isFirst = page.offset === 0 && isUnfiltered(filter);
  const number = (value: number) => (isFirst ? literal(value) : value);
  const scope: ListScope = { mine: false, ...page };
  const { publicBranch, ownBranch, inState } = branchesOf(accountId, scope);
  const branches = [
    ...alongEachCategory(filter).map((one) => buildWhere(one, publicBranch, sql`id`)),
    buildWhere(filter, ownBranch, sql`id`),
  ].map(
    (where) =>
      sql`(SELECT ${keys} FROM quizzes WHERE ${where}${inState} ORDER BY ${order} LIMIT ${number(offset + limit)})`,
  );
  const statement = asJsonArray(
    sql`SELECT ${QUIZ_LIST_ITEM}${isWithLanguage ? sql`, z.language` : sql``}${scope.mine ? OWN_COLUMNS : sql``} FROM quizzes z
        JOIN (SELECT id FROM (${join(branches, sql` UNION ALL `)}) AS keys
              ORDER BY ${order} LIMIT ${number(limit)} OFFSET ${number(offset)}) AS page USING (id)
        ORDER BY ${forward}`,
  );
  const run = isFirst ? queryPrepared<[{ json: string }]> : query<[{ json: string }]>;
  const [row] = await run(database, statement);
  return new JsonText(row.json);
}

const OWN_COLUMNS = sql`, ${QUIZ_STATE} AS state, rejection_reason AS "rejectionReason", ${RULES_OF_PLAY}`;

/**
 * How many quizzes there are over all pages. Public ones come from the counters, and with several tags from the index
 * of quiz_tags as well. Rows are counted for a topic, for `mine`, and for the caller's few private quizzes.
 */
export async function countQuizzes(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  scope: ListScope = { mine: false },
): Promise<number> {
  const { publicBranch, ownBranch, inState } = branchesOf(accountId, scope);
  const count = (branch: Sql) =>
    sql`SELECT count(*) FROM quizzes WHERE ${buildWhere(filter, branch, sql`id`)}${inState}`;
  const statement = sql`SELECT ((${scope.mine ? count(publicBranch) : countPublic(publicBranch, filter)})
           + (${count(ownBranch)}))::int AS total`;
  type Row = { total: number };
  const run = isUnfiltered(filter) ? queryPrepared<[Row]> : query<[Row]>;
  const [row] = await run(database, statement);
  return row.total;
}

function countPublic(publicBranch: Sql, filter: CatalogFilter): Sql {
  const { topic, tags, tagsMatch, languages, categories, difficulties } = filter;
  // The compiler refuses a filter that is neither read here nor of questions.
  type Read = 'topic' | 'tags' | 'tagsMatch' | 'languages' | 'categories' | 'difficulties';
  type OfQuestions = 'types' | 'text' | 'exclude';
  void ({} satisfies Record<Exclude<keyof CatalogFilter, Read | OfQuestions>, never>);
  if (topic !== undefined)
    return isUnfiltered({ ...filter, topic: undefined })
      ? sql`SELECT count(*) FROM quiz_search WHERE ${publicBranch} AND ${contentContains(topic)}`
      : sql`SELECT count(*) FROM quizzes WHERE ${buildWhere(filter, publicBranch, sql`id`)}`;
  const withAny = (keys: readonly string[]) =>
    sql`SELECT coalesce(sum(${countOfQuizzes({ difficulties })}), 0) FROM ${rowsFor(keys, categories)}`;
  if (tags.length + languages.length === 0) return withAny([WITHOUT_TAG_FILTER]);
  if (tags.length === 0) return withAny(languageKeys(filter));
  if (tags.length === 1 && languages.length === 0) return withAny(tags);
  // quiz_tags has the columns that these conditions name.
  const conditions = [publicBranch, ...filterConditions(filter)];
  if (languages.length > 0)
    conditions.push(sql`quiz_id IN (${quizzesInLanguages(filter, publicBranch)})`);
  if (tagsMatch === 'all' || languages.length > 0) {
    const each = tagsMatch === 'all' ? sql`*` : sql`DISTINCT quiz_id`;
    return sql`SELECT count(${each}) FROM (${quizzesWithTags(filter, join(conditions, sql` AND `))}) AS tagged`;
  }
  const withFirst = withAny(tags.slice(0, 1));
  return sql`SELECT (${withFirst}) + (
    SELECT count(DISTINCT quiz_id) FROM (${quizzesBesidesFirst(filter, conditions)}) AS others)`;
}

/** QuizDetail as JSON text from PostgreSQL. */
export async function findQuizDetailJson(
  database: EntityManager,
  accountId: string,
  id: string,
  isWithLanguage = false,
): Promise<JsonText<Buffer> | null> {
  type Row = { json: Buffer; version: Buffer };
  const [row] = await queryPrepared<Row[]>(
    database,
    sql`
SELECT (
  SELECT row_to_json(quiz)::text FROM (
    SELECT ${QUIZ_LIST_ITEM}${isWithLanguage ? sql`, z.language` : sql``}, (
      SELECT coalesce(json_agg(question ORDER BY question."order"), '[]')
      FROM (SELECT ${QUIZ_QUESTION_DETAIL} FROM questions q WHERE q.quiz_id = z.id) AS question) AS questions) AS quiz) AS json,
  ${QUIZ_VERSION} AS version
FROM quizzes z WHERE id = ${id} AND ${visibleTo(accountId)}`,
    AS_BYTES,
  );
  return row ? new JsonText(row.json, String(row.version)) : null;
}

interface QuizDetailRow extends RulesOfPlay {
  id: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  language: string | null;
  question_count: number;
  plays: number;
  slug: string;
}

export type QuizWithQuestions = QuizDetailRow & {
  questions: StoredQuestion[];
  /** QUIZ_VERSION */
  version: string;
};

/** A quiz with all its questions in one statement: 313 µs, where entities and relations take 2,437 µs. */
export async function findQuizDetail(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<QuizWithQuestions | null> {
  const [quiz] = await queryPrepared<QuizWithQuestions[]>(
    database,
    sql`SELECT ${DETAIL_COLUMNS}, ${QUIZ_VERSION} AS version,
       (SELECT coalesce(json_agg(json_build_object(
          'id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
          'format', q.format, 'explanation', q.explanation, 'position', q.position, 'answers', q.answers) ORDER BY q.position), '[]')
        FROM questions q WHERE q.quiz_id = z.id) AS questions
     FROM quizzes z WHERE id = ${id} AND ${visibleTo(accountId)}`,
  );
  return quiz ?? null;
}

/** The sources and licences of a quiz's questions, of those that have one. */
export function findAttributions(
  database: EntityManager,
  quizId: string,
): Promise<{ id: string; source: string | null; licence: string | null }[]> {
  return query(
    database,
    sql`SELECT id, source, licence FROM questions
        WHERE quiz_id = ${quizId} AND (source IS NOT NULL OR licence IS NOT NULL)`,
  );
}
