import type { EntityManager } from 'typeorm';
import { queryPrepared } from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import { LIMITS } from '../../platform/limits/limits';
import { Parameters, visibilityBranches } from '../sql';
import { QUESTION_KINDS } from '../vocabulary';
import {
  buildWhere,
  isUnfiltered,
  kindConditions,
  quizzesAmong,
  quizzesBesidesFirst,
  type CatalogFilter,
} from '../filters.queries';

/** SQL of the sum of `counts_by_kind`, element by element. */
export const SUM_OF_COUNTS = `ARRAY[${QUESTION_KINDS.map((_, index) => `sum(counts_by_kind[${index + 1}])`).join(', ')}]::bigint[]`;

/** SQL for the number of matching questions, from a column of counts by kind; for all kinds, from their total. */
export function sumOfKinds(
  { difficulties, types }: Pick<CatalogFilter, 'difficulties' | 'types'>,
  total: string,
): string {
  if (difficulties.length + types.length === 0) return total;
  const counts = QUESTION_KINDS.flatMap(({ difficulty, type }, index) =>
    (difficulties.length === 0 || difficulties.includes(difficulty)) &&
    (types.length === 0 || types.includes(type))
      ? [`counts_by_kind[${index + 1}]`]
      : [],
  );
  return `(${counts.join(' + ')})`;
}

/** How many questions match a filter: public ones, and the caller's private ones. */
export interface QuestionTotals {
  everybodys: number;
  mine: number;
}

/** Rows whose counts add up to the matching questions. */
interface Source {
  /** A table with its conditions. */
  from: string;
  /** The column with the number of questions of all kinds, next to `counts_by_kind`; null: each row is of one kind. */
  ofAllKinds: string | null;
}

/**
 * Where the questions of a filter are counted already: public ones in the counters, by several tags or a topic in the
 * quizzes that match; the caller's in their few private quizzes. No question is read.
 */
function sourcesOf(
  filter: CatalogFilter,
  sql: Parameters,
  me: string,
): { everybodys: Source[]; mine: Source[] } {
  const { categories, tags, tagsMatch, topic } = filter;
  const [everybodys, mine] = visibilityBranches(me);
  const inCategory =
    categories.length > 0 ? ` AND category_key = ANY (${sql.add(categories)})` : '';
  const selections = quizzesAmong(filter, sql);
  const quizzes = (arm: string, among = selections(arm)): Source => ({
    from: `quizzes WHERE ${[arm, ...among.map((it) => `id IN (${it})`)].join(' AND ')}${inCategory}`,
    ofAllKinds: 'question_count',
  });
  const ofFirstTag = (): Source => ({
    from: `tag_facet_counts WHERE tag_key = ${sql.add(tags[0])}${inCategory}`,
    ofAllKinds: 'questions',
  });
  const ofEverybody = (): Source[] => {
    if (topic !== undefined) return [quizzes(everybodys)];
    if (tags.length === 0)
      return [{ from: `question_counts WHERE true${inCategory}`, ofAllKinds: null }];
    if (tags.length === 1) return [ofFirstTag()];
    if (tagsMatch === 'all') return [quizzes(everybodys)];
    return [ofFirstTag(), quizzes(everybodys, [quizzesBesidesFirst(filter, sql, [everybodys])])];
  };
  return { everybodys: ofEverybody(), mine: [quizzes(mine)] };
}

/** How many questions there are over all pages, excluded ones included. */
export async function countQuestions(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<QuestionTotals> {
  const sql = new Parameters();
  const { everybodys, mine } = sourcesOf(filter, sql, sql.add(accountId));
  const total = (sources: Source[]) =>
    sources
      .map(({ from, ofAllKinds }) => {
        const kinds = ofAllKinds ? [] : kindConditions(filter, sql);
        const sum = ofAllKinds ? sumOfKinds(filter, ofAllKinds) : 'questions';
        return `(SELECT coalesce(sum(${sum}), 0)::int FROM ${[from, ...kinds].join(' AND ')})`;
      })
      .join(' + ');
  const text = `SELECT ${total(everybodys)} AS everybodys, ${total(mine)} AS mine`;
  const [row] = isUnfiltered(filter)
    ? await queryPrepared<[QuestionTotals]>(database, text, sql.values)
    : await database.query<[QuestionTotals]>(text, sql.values);
  return row;
}

const MOST_CATEGORIES = LIMITS.requests.countedCategories.value;

/** QuestionCounts of a filter, as JSON text from PostgreSQL. */
export async function findCountsJson(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<JsonText> {
  const sql = new Parameters();
  const me = sql.add(accountId);
  const { everybodys, mine } = sourcesOf(filter, sql, me);
  const rows = ({ from, ofAllKinds }: Source, category: string) =>
    ofAllKinds
      ? `SELECT category_key, category, index, n
         FROM (SELECT category_key, ${category} AS category, ${SUM_OF_COUNTS} AS counts FROM ${from} GROUP BY 1) AS s,
           unnest(counts) WITH ORDINALITY AS k (n, index)`
      : `SELECT category_key, ${category} AS category, index, questions AS n
         FROM (SELECT * FROM ${from}) AS s JOIN question_kinds USING (difficulty, type)`;
  const parts = [
    ...everybodys.map((source) => rows(source, 'NULL')),
    ...mine.map((source) => rows(source, 'max(category)')),
    ...(filter.exclude.length > 0
      ? [
          `SELECT category_key, NULL, index, -1
           FROM (${excludedOf(filter, sql, me)}) AS e JOIN question_kinds USING (difficulty, type)`,
        ]
      : []),
  ];
  const kinds = kindConditions(filter, sql).map((condition) => ` AND ${condition}`);
  const by = (column: string, type = column) => `
    (SELECT json_object_agg(value, coalesce(n, 0) ORDER BY value)
     FROM unnest(enum_range(NULL::${type})) AS value
     LEFT JOIN (SELECT ${column} AS value, sum(n) AS n FROM counted GROUP BY 1) AS s USING (value))`;
  const [row] = await database.query<[{ json: string }]>(
    `WITH counted AS (
       SELECT category_key, max(category) AS category, difficulty, type, sum(n) AS n
       FROM (${parts.join(' UNION ALL ')}) AS parts JOIN question_kinds USING (index)
       WHERE true${kinds.join('')} GROUP BY category_key, difficulty, type)
     SELECT json_build_object(
       'total', (SELECT coalesce(sum(n), 0) FROM counted),
       'byCategory', (
         SELECT coalesce(json_object_agg(name, n), '{}')
         FROM (SELECT coalesce((SELECT max(q.category) FROM quiz_counts q WHERE q.category_key = c.category_key AND q.quizzes > 0),
                 max(c.category), '') AS name, sum(n) AS n
               FROM counted c GROUP BY category_key HAVING sum(n) > 0
               ORDER BY sum(n) DESC, category_key LIMIT ${MOST_CATEGORIES}) AS used),
       'byDifficulty', ${by('difficulty')},
       'byType', ${by('type', 'question_type')})::text AS json`,
    sql.values,
  );
  return new JsonText(row.json);
}

/** A question that the caller excludes and that would match without that. */
export interface ExcludedQuestion {
  quiz_id: string;
  position: number;
}

export function findExcluded(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<ExcludedQuestion[]> {
  const sql = new Parameters();
  return database.query<ExcludedQuestion[]>(
    `SELECT quiz_id, position FROM (${excludedOf(filter, sql, sql.add(accountId))}) AS e ORDER BY id`,
    sql.values,
  );
}

function excludedOf(filter: CatalogFilter, sql: Parameters, me: string): string {
  const where = buildWhere({ ...filter, exclude: [] }, sql);
  const ids = sql.add(filter.exclude);
  return visibilityBranches(me)
    .map((arm) => `SELECT * FROM questions WHERE id = ANY (${ids}::uuid[]) AND ${where(arm)}`)
    .join(' UNION ALL ');
}
