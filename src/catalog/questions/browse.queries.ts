import type { EntityManager } from 'typeorm';
import {
  join,
  literal,
  query,
  queryPrepared,
  type Slice,
  type Sql,
  sql,
} from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import {
  asJsonArray,
  BROWSE_QUESTION,
  browseQuestionWith,
  QUESTION_VERSION,
} from '../fields.queries';
import {
  alongEachTag,
  buildWhere,
  type CatalogFilter,
  filterConditions,
  isUnfiltered,
} from '../filters.queries';
import { visibilityBranches, visibleTo } from '../visibility.queries';
import type { QuestionKey } from './cursor.rules';

/** A page of BrowseQuestion. */
export interface BrowsePage {
  questions: JsonText;
  count: number;
  /** Which question is its last, if the page is in the order of browsing and not empty. */
  last?: QuestionKey;
}

/** BrowseQuestion with its format and language as JSON text; null for an unknown id and for a question that the caller may not see. */
export async function findQuestionJson(
  database: EntityManager,
  accountId: string,
  id: string,
): Promise<JsonText | null> {
  const [row] = await queryPrepared<{ json: string; version: string }[]>(
    database,
    sql`SELECT row_to_json(item)::text AS json, ${QUESTION_VERSION} AS version
        FROM (SELECT * FROM questions WHERE id = ${id} AND ${visibleTo(accountId)}) AS q
        JOIN quizzes z ON z.id = q.quiz_id,
        LATERAL (SELECT ${browseQuestionWith({ format: true, language: true })}) AS item`,
  );
  return row ? new JsonText(row.json, row.version) : null;
}

/**
 * Questions in the order of their quizzes' creation, so that new ones do not move earlier pages. The first page
 * without filters is a prepared statement (see findQuizPage). A page after a known question costs the same at any
 * depth. A page past the middle is read from the end, but not with a filter by text: more questions may match than
 * were counted, so the distance to the end is not known.
 * @param total as counted; without excluded questions
 */
export async function findQuestionPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  { limit, offset, after }: Slice & { after?: QuestionKey },
  total: number,
  fields: Sql = BROWSE_QUESTION,
): Promise<BrowsePage> {
  const [publicBranch, ownBranch] = visibilityBranches(accountId);
  const remaining = total - offset;
  const isFirst = offset === 0 && !after && isUnfiltered(filter);
  const isBackward = !after && !filter.text && remaining < offset;
  const slice = isBackward
    ? { limit: Math.min(limit, remaining), offset: Math.max(0, remaining - limit) }
    : { limit: Math.min(limit, remaining), offset: after ? 0 : offset };
  const direction = isBackward ? sql`DESC` : sql`ASC`;
  const from = (quizId: Sql, position: Sql) =>
    after
      ? sql` AND (${quizId}, ${position}) > (${after.quiz_id}::uuid, ${after.position}::int)`
      : sql``;
  // Lets PostgreSQL begin at this quiz in both indexes. That of tags has no positions, so the condition on both columns
  // does not help there; and for a tag of most quizzes it would choose a merge join that reads all questions before.
  const fromQuiz = after
    ? sql` AND t.quiz_id >= ${after.quiz_id}::uuid AND q.quiz_id >= ${after.quiz_id}::uuid`
    : sql``;
  const upTo = isFirst ? literal(limit) : slice.offset + slice.limit;
  const inOrder = (one: CatalogFilter, branch: Sql) =>
    sql`SELECT quiz_id, position FROM questions WHERE ${buildWhere(one, branch)}${from(sql`quiz_id`, sql`position`)}`;
  const branches = [
    ...(alongEachTag(filter)?.map(({ key, filter: others }) =>
      inTagsOrder(key, others, sql`${fromQuiz}${from(sql`t.quiz_id`, sql`q.position`)}`),
    ) ?? [inOrder(filter, publicBranch)]),
    inOrder(filter, ownBranch),
  ].map(
    (branch) => sql`(${branch} ORDER BY quiz_id ${direction}, position ${direction} LIMIT ${upTo})`,
  );
  return findPage(database, branches, QUESTION_ORDER, { ...slice, direction, isFirst, fields });
}

/** The order of browsing. */
const QUESTION_ORDER = [sql`quiz_id`, sql`position`];

/** By one key of quiz_tags, along its index: it stops with the page, however many quizzes have the key. */
function inTagsOrder(key: string, filter: CatalogFilter, from: Sql): Sql {
  const facets = filterConditions(filter).map((condition) => sql`q.${condition}`);
  return sql`SELECT t.quiz_id, q.position FROM quiz_tags t JOIN questions q ON q.quiz_id = t.quiz_id
             WHERE t.is_public AND t.tag_key = ${key}${from} AND ${join([sql`q.is_public`, ...facets], sql` AND `)}`;
}

/**
 * Merges the branches, selects the page by its keys, and only then reads the page's rows.
 * @param order the columns of each branch, quiz_id and position among them, and the resulting order
 */
export async function findPage(
  database: EntityManager,
  branches: readonly Sql[],
  order: readonly Sql[],
  {
    limit,
    offset,
    direction = sql`ASC`,
    isFirst = false,
    fields,
  }: Slice & { direction?: Sql; isFirst?: boolean; fields: Sql },
): Promise<BrowsePage> {
  const number = (value: number) => (isFirst ? literal(value) : value);
  // By several tags, a quiz may match more than one of them.
  const merged = join(branches, branches.length > 2 ? sql` UNION ` : sql` UNION ALL `);
  const directed = order.map((column) => sql`${column} ${direction}`);
  const run = isFirst ? queryPrepared<[PageRow]> : query<[PageRow]>;
  const [row] = await run(
    database,
    sql`WITH page AS MATERIALIZED (
       SELECT ${join(order)} FROM (${merged}) AS merged
       ORDER BY ${join(directed)} LIMIT ${number(limit)} OFFSET ${number(offset)}),
     last AS (SELECT quiz_id, position FROM page ORDER BY quiz_id DESC, position DESC LIMIT 1)
     SELECT listed.*, last.quiz_id, last.position
     FROM (${asJsonArray(
       sql`SELECT ${fields}
           FROM page JOIN questions q USING (quiz_id, position) JOIN quizzes z ON z.id = q.quiz_id
           ORDER BY ${join(order)}`,
     )}) AS listed LEFT JOIN last ON true`,
  );
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
  fields: Sql,
): Promise<BrowsePage> {
  const quizIds = keys.map((key) => key.quiz_id);
  const positions = keys.map((key) => key.position);
  const [row] = await query<[ListRow]>(
    database,
    asJsonArray(
      sql`SELECT ${fields}
          FROM unnest(${quizIds}::uuid[], ${positions}::int[]) WITH ORDINALITY AS wanted (quiz_id, position, turn)
          JOIN (SELECT * FROM questions WHERE ${visibleTo(accountId)}) AS q USING (quiz_id, position)
          JOIN quizzes z ON z.id = q.quiz_id
          ORDER BY turn`,
    ),
  );
  return { questions: new JsonText(row.json), count: row.count };
}

/** What `asJsonArray` selects. */
interface ListRow {
  json: string;
  count: number;
}

interface PageRow extends ListRow {
  quiz_id: string | null;
  position: number | null;
}
