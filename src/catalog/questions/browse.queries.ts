import type { EntityManager } from 'typeorm';
import type { ExcludedQuestion, QuestionTotals } from './counts.queries';
import {
  alongEachTag,
  buildWhere,
  filterConditions,
  isUnfiltered,
  type CatalogFilter,
} from './filters.queries';
import { queryPrepared } from '../../platform/database/data-source';
import { JsonText } from '../../platform/http/server/text-response';
import { seekByOffset } from '../offset-index/offset-lookup.queries';
import { BROWSE_QUESTION } from '../resources';
import { asJsonArray, Parameters, visibilityBranches } from '../sql';

export interface Slice {
  limit: number;
  offset: number;
}

/** A page of BrowseQuestion. */
export interface QuestionPage {
  questions: JsonText;
  count: number;
}

/** Of `questions` as q: a hash of the content that its owner edits. */
export const QUESTION_VERSION = `md5(ROW(q.text, q.type, q.difficulty, q.explanation, q.answers)::text)`;

/**
 * BrowseQuestion as JSON text; null for an unknown id and for a question that the caller may not see. Of the caller's
 * own quizzes it is the question as they have edited it, also before that is approved (MODERATION=strict).
 */
export async function findQuestionJson(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<JsonText | null> {
  for (const from of [VISIBLE_QUESTION, EDITED_QUESTION]) {
    const [row] = await queryPrepared<{ json: string; version: string }[]>(
      database,
      `SELECT row_to_json(item)::text AS json, ${QUESTION_VERSION} AS version ${from}`,
      [id, accountId],
    );
    if (row) return new JsonText(row.json, row.version);
  }
  return null;
}

const ITEM = `LATERAL (SELECT ${BROWSE_QUESTION}) AS item`;
const VISIBLE_QUESTION = `FROM questions q JOIN quizzes z ON z.id = q.quiz_id, ${ITEM}
WHERE q.id = $1 AND (z.is_public OR z.owner_id = $2) AND (z.proposed IS NULL OR z.owner_id <> $2)`;
const EDITED_QUESTION = `FROM quizzes own, LATERAL jsonb_populate_recordset(NULL::questions, own.proposed_questions) AS q,
  edited_quizzes z, ${ITEM}
WHERE own.owner_id = $2 AND own.proposed IS NOT NULL AND q.id = $1 AND z.id = own.id`;

/** Up to this offset, skipping index entries costs less than a look-up in the blocks. */
const WALK_UP_TO = 500;

/**
 * Questions in the order of their quizzes' creation, so that new ones do not move earlier pages. The first page
 * without filters is a prepared statement (see findQuizPage).
 */
export async function findQuestionPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  { limit, offset }: Slice,
  totals: QuestionTotals,
  excluded: readonly ExcludedQuestion[] = [],
): Promise<QuestionPage> {
  // At least this many public ones come before the page, wherever the caller's own are among them.
  let passed = offset - totals.mine > WALK_UP_TO ? offset - totals.mine : 0;
  const [start] = passed > 0 ? await seekByOffset(database, filter, [passed]) : [];
  // From the beginning of that position's quiz.
  passed = start
    ? passed -
      start.skip -
      excluded.filter((it) => it.is_public && it.quiz_id < start.quiz_id).length
    : 0;

  const sql = new Parameters();
  const [everybodys, mine] = visibilityBranches(sql.add(accountId));
  const isFirst = offset === 0 && isUnfiltered(filter);
  const upTo = isFirst ? String(limit) : sql.add(offset - passed + limit);
  const first = start && sql.add(start.quiz_id);
  const from = (column: string) => (first ? ` AND ${column} >= ${first}` : '');
  const arms = [
    ...alongEachTag(filter).map((one) =>
      one.tags.length === 1 && one.topic === undefined
        ? inTagsOrder(one, sql, from('t.quiz_id') + from('q.quiz_id'))
        : `SELECT quiz_id, position FROM questions WHERE ${buildWhere(one, sql)(everybodys)}${from('quiz_id')}`,
    ),
    `SELECT quiz_id, position FROM questions WHERE ${buildWhere(filter, sql)(mine)}`,
  ].map((arm) => `(${arm} ORDER BY quiz_id, position LIMIT ${upTo})`);
  const slice = { limit, offset: offset - passed };
  return pageOf(database, sql, arms, 'quiz_id, position', slice, isFirst);
}

/**
 * By one tag, along its index: it stops with the page, however many quizzes have the tag.
 * @param from stated for both sides: PostgreSQL does not infer it for the other one, and a merge join then read five
 *   million questions from the beginning (1.1 s)
 */
function inTagsOrder(filter: CatalogFilter, sql: Parameters, from: string): string {
  const facets = filterConditions(filter, sql).map((condition) => ` AND q.${condition}`);
  return `SELECT t.quiz_id, q.position FROM quiz_tags t JOIN questions q ON q.quiz_id = t.quiz_id
          WHERE t.is_public AND t.tag_key = ${sql.add(filter.tags[0])}${from} AND q.is_public${facets.join('')}`;
}

/**
 * Merges the branches, selects the page by its keys, and only then reads the page's rows.
 * @param order the columns of each branch, quiz_id and position among them, and the resulting order
 */
export function pageOf(
  database: EntityManager,
  sql: Parameters,
  arms: string[],
  order: string,
  slice: Slice,
  isFirst = false,
): Promise<QuestionPage> {
  const number = isFirst ? String : sql.add;
  // By several tags, a quiz may match more than one of them.
  const merged = arms.join(arms.length > 2 ? ' UNION ' : ' UNION ALL ');
  return questionsFrom(
    database,
    sql,
    `FROM (SELECT ${order} FROM (${merged}) AS merged
           ORDER BY ${order} LIMIT ${number(slice.limit)} OFFSET ${number(slice.offset)}) AS page
     JOIN questions q USING (quiz_id, position)
     JOIN quizzes z ON z.id = q.quiz_id
     ORDER BY ${order}`,
    isFirst,
  );
}

/** @param from a FROM clause with questions as q and their quizzes as z, in order */
export async function questionsFrom(
  database: EntityManager,
  sql: Parameters,
  from: string,
  prepared = false,
): Promise<QuestionPage> {
  const text = asJsonArray(`SELECT ${BROWSE_QUESTION} ${from}`);
  const [row] = prepared
    ? await queryPrepared<[PageRow]>(database, text, sql.values)
    : await database.query<[PageRow]>(text, sql.values);
  return { questions: new JsonText(row.json), count: row.count };
}

interface PageRow {
  json: string;
  count: number;
}
