import type { EntityManager } from 'typeorm';
import {
  alongEachTag,
  buildWhere,
  filterConditions,
  isUnfiltered,
  type CatalogFilter,
} from '../filters.queries';
import { queryPrepared } from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import { BROWSE_QUESTION, QUESTION_VERSION } from '../fields.queries';
import { asJsonArray, Parameters, visibilityBranches, visibleTo } from '../sql';
import type { QuestionKey } from './cursor.rules';

export interface Slice {
  limit: number;
  offset: number;
}

/** A page of BrowseQuestion. */
export interface QuestionPage {
  questions: JsonText;
  count: number;
  /** Its last question, if the page is in the order of browsing. */
  last?: QuestionKey;
}

/** BrowseQuestion as JSON text; null for an unknown id and for a question that the caller may not see. */
export async function findQuestionJson(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<JsonText | null> {
  const [row] = await queryPrepared<{ json: string; version: string }[]>(
    database,
    `SELECT row_to_json(item)::text AS json, ${QUESTION_VERSION} AS version
     FROM questions q JOIN quizzes z ON z.id = q.quiz_id, LATERAL (SELECT ${BROWSE_QUESTION}) AS item
     WHERE q.id = $1 AND (z.is_public OR z.owner_id = $2)`,
    [id, accountId],
  );
  return row ? new JsonText(row.json, row.version) : null;
}

/**
 * Questions in the order of their quizzes' creation, so that new ones do not move earlier pages. The first page
 * without filters is a prepared statement (see findQuizPage). A page after a known question costs the same at any
 * depth; a page past the middle is read from the end.
 * @param total as counted; without excluded questions
 */
export async function findQuestionPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  { limit, offset, after }: Slice & { after?: QuestionKey },
  total: number,
): Promise<QuestionPage> {
  const sql = new Parameters();
  const [everybodys, mine] = visibilityBranches(sql.add(accountId));
  const rest = total - offset;
  const isFirst = offset === 0 && !after && isUnfiltered(filter);
  const isBackward = !after && rest < offset;
  const slice = isBackward
    ? { limit: Math.min(limit, rest), offset: Math.max(0, rest - limit) }
    : { limit, offset: after ? 0 : offset };
  const direction = isBackward ? 'DESC' : 'ASC';
  const start = after && `(${sql.add(after.quiz_id)}::uuid, ${sql.add(after.position)}::int)`;
  const from = (quizId: string, position: string) =>
    start ? ` AND (${quizId}, ${position}) > ${start}` : '';
  const upTo = isFirst ? String(limit) : sql.add(slice.offset + slice.limit);
  const arms = [
    ...alongEachTag(filter).map((one) =>
      one.tags.length === 1 && one.topic === undefined
        ? inTagsOrder(one, sql, from('t.quiz_id', 'q.position'))
        : `SELECT quiz_id, position FROM questions WHERE ${buildWhere(one, sql)(everybodys)}${from('quiz_id', 'position')}`,
    ),
    `SELECT quiz_id, position FROM questions WHERE ${buildWhere(filter, sql)(mine)}${from('quiz_id', 'position')}`,
  ].map((arm) => `(${arm} ORDER BY quiz_id ${direction}, position ${direction} LIMIT ${upTo})`);
  return pageOf(database, sql, arms, 'quiz_id, position', { ...slice, direction, isFirst });
}

/** By one tag, along its index: it stops with the page, however many quizzes have the tag. */
function inTagsOrder(filter: CatalogFilter, sql: Parameters, from: string): string {
  const facets = filterConditions(filter, sql).map((condition) => ` AND q.${condition}`);
  return `SELECT t.quiz_id, q.position FROM quiz_tags t JOIN questions q ON q.quiz_id = t.quiz_id
          WHERE t.is_public AND t.tag_key = ${sql.add(filter.tags[0])}${from} AND q.is_public${facets.join('')}`;
}

/**
 * Merges the branches, selects the page by its keys, and only then reads the page's rows.
 * @param order the columns of each branch, quiz_id and position among them, and the resulting order
 */
export async function pageOf(
  database: EntityManager,
  sql: Parameters,
  arms: string[],
  order: string,
  {
    limit,
    offset,
    direction = 'ASC',
    isFirst = false,
  }: Slice & { direction?: 'ASC' | 'DESC'; isFirst?: boolean },
): Promise<QuestionPage> {
  const number = isFirst ? String : sql.add;
  // By several tags, a quiz may match more than one of them.
  const merged = arms.join(arms.length > 2 ? ' UNION ' : ' UNION ALL ');
  const directed = order.replaceAll(',', ` ${direction},`) + ` ${direction}`;
  const text = `WITH page AS MATERIALIZED (
       SELECT ${order} FROM (${merged}) AS merged
       ORDER BY ${directed} LIMIT ${number(limit)} OFFSET ${number(offset)}),
     last AS (SELECT quiz_id, position FROM page ORDER BY quiz_id DESC, position DESC LIMIT 1)
     SELECT listed.*, last.quiz_id, last.position
     FROM (${asJsonArray(
       `SELECT ${BROWSE_QUESTION}
        FROM page JOIN questions q USING (quiz_id, position) JOIN quizzes z ON z.id = q.quiz_id
        ORDER BY ${order}`,
     )}) AS listed LEFT JOIN last ON true`;
  const [row] = isFirst
    ? await queryPrepared<[PageRow]>(database, text, sql.values)
    : await database.query<[PageRow]>(text, sql.values);
  const { quiz_id, position } = row;
  return {
    questions: new JsonText(row.json),
    count: row.count,
    ...(quiz_id !== null && position !== null && { last: { quiz_id, position } }),
  };
}

/** These questions in this order, as far as the caller may see them. */
export async function questionsOf(
  database: EntityManager,
  accountId: string,
  keys: readonly QuestionKey[],
): Promise<QuestionPage> {
  const text = asJsonArray(
    `SELECT ${BROWSE_QUESTION}
     FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS wanted (quiz_id, position, turn)
     JOIN (SELECT * FROM questions WHERE ${visibleTo('$3')}) AS q USING (quiz_id, position)
     JOIN quizzes z ON z.id = q.quiz_id
     ORDER BY turn`,
  );
  const [row] = await database.query<[PageRow]>(text, [
    keys.map((key) => key.quiz_id),
    keys.map((key) => key.position),
    accountId,
  ]);
  return { questions: new JsonText(row.json), count: row.count };
}

interface PageRow {
  json: string;
  count: number;
  quiz_id: string | null;
  position: number | null;
}
