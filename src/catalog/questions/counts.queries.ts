import type { EntityManager } from 'typeorm';
import { isAny, join, query, queryPrepared, type Sql, sql } from '../../platform/database/sql';
import { JsonText } from '../../platform/http/server/text-response';
import { LIMITS } from '../../platform/limits/limits';
import {
  ALL_CATEGORIES,
  countOfQuestions,
  COUNTS_BY_KIND,
  EACH_CATEGORY,
  rowsFor,
  SUM_OF_COUNTS,
  WITHOUT_TAG_FILTER,
} from '../catalog-counts.queries';
import {
  buildWhere,
  type CatalogFilter,
  isUnfiltered,
  kindConditions,
  quizzesAmong,
} from '../filters.queries';
import { languageKeys, quizzesBesidesFirst } from '../tag-filter.queries';
import { visibilityBranches } from '../visibility.queries';
import type { QuestionKey } from './cursor.rules';
import { firstByText } from './text-matches.queries';

/** How many questions match a filter: public ones, and the caller's private ones. */
export interface QuestionTotals {
  ofEverybody: number;
  own: number;
}

/** Rows whose counts add up to the matching questions. */
interface Source {
  /** A table with its conditions, with the columns `question_count` and `counts_by_kind`. */
  from: Sql;
  /** The name of the category, where questions count that no counter of categories has: the caller's own. */
  category?: Sql;
}

/**
 * Where the questions of a filter are counted already: public ones in the counters, by several tags, tags in a language
 * or a topic in the quizzes that match; the caller's in their few private quizzes. Only by a text are the questions read themselves, as
 * many as browsing shows, of everybody and the caller together.
 * @param unfiltered which counters are read without a filter by categories
 */
function sourcesOf(
  filter: CatalogFilter,
  accountId: string,
  unfiltered: Sql,
): { ofEverybody: Source[]; own: Source[] } {
  const { categories, tags, tagsMatch, languages, topic, text } = filter;
  // The compiler refuses a filter that is read neither here nor by the callers.
  type Read = 'categories' | 'tags' | 'tagsMatch' | 'languages' | 'topic' | 'text';
  type ReadByCallers = 'difficulties' | 'types' | 'exclude';
  void ({} satisfies Record<Exclude<keyof CatalogFilter, Read | ReadByCallers>, never>);
  const [publicBranch, ownBranch] = visibilityBranches(accountId);
  const inCategory = categories.length > 0 ? [isAny(sql`category_key`, categories)] : [];
  const quizzes = (branch: Sql, among = quizzesAmong(filter, branch)): Source => {
    const conditions = [branch, ...among.map((selection) => sql`id IN (${selection})`)];
    return { from: sql`quizzes WHERE ${join([...conditions, ...inCategory], sql` AND `)}` };
  };
  if (text) {
    const matches: Source = {
      from: sql`(SELECT category_key, count(*) AS question_count, ${COUNTS_BY_KIND} AS counts_by_kind,
                   max((SELECT z.category FROM quizzes z WHERE z.id = quiz_id)) AS category
                 FROM (${firstByText(filter, accountId)}) AS first JOIN question_kinds USING (difficulty, type)
                 GROUP BY category_key) AS found`,
      category: sql`max(category)`,
    };
    return { ofEverybody: [matches], own: [] };
  }
  const withAny = (keys: readonly string[]): Source => ({
    from: rowsFor(keys, categories, unfiltered),
  });
  const ofEverybody = (): Source[] => {
    const isByTags = tags.length > 0;
    const isByLanguages = languages.length > 0;
    if (topic !== undefined || (isByTags && isByLanguages)) return [quizzes(publicBranch)];
    if (isByLanguages) return [withAny(languageKeys(filter))];
    if (!isByTags) return [withAny([WITHOUT_TAG_FILTER])];
    if (tags.length === 1) return [withAny(tags)];
    if (tagsMatch === 'all') return [quizzes(publicBranch)];
    const besides = [quizzesBesidesFirst(filter, [publicBranch])];
    return [withAny(tags.slice(0, 1)), quizzes(publicBranch, besides)];
  };
  return {
    ofEverybody: ofEverybody(),
    own: [{ ...quizzes(ownBranch), category: sql`max(category)` }],
  };
}

/** How many questions there are over all pages; excluded ones included, except by a text. */
export async function countQuestions(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<QuestionTotals> {
  const { ofEverybody, own } = sourcesOf(filter, accountId, ALL_CATEGORIES);
  const total = (sources: Source[]) =>
    join(
      [
        sql`0`,
        ...sources.map(
          ({ from }) =>
            sql`(SELECT coalesce(sum(${countOfQuestions(filter)}), 0)::int FROM ${from})`,
        ),
      ],
      sql` + `,
    );
  const run = isUnfiltered(filter) ? queryPrepared<[QuestionTotals]> : query<[QuestionTotals]>;
  const [row] = await run(
    database,
    sql`SELECT ${total(ofEverybody)} AS "ofEverybody", ${total(own)} AS own`,
  );
  return row;
}

/** QuestionCounts of a filter, as JSON text from PostgreSQL. */
export async function findCountsJson(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<JsonText> {
  const { ofEverybody, own } = sourcesOf(filter, accountId, EACH_CATEGORY);
  const rows = ({ from, category = sql`NULL` }: Source) =>
    sql`SELECT category_key, category, index, n
        FROM (SELECT category_key, ${category} AS category, ${SUM_OF_COUNTS} AS counts FROM ${from} GROUP BY 1) AS s,
          unnest(counts) WITH ORDINALITY AS k (n, index)`;
  const parts = [
    ...[...ofEverybody, ...own].map(rows),
    ...(filter.exclude.length > 0 && !filter.text
      ? [
          sql`SELECT category_key, NULL, index, -1
              FROM (${excludedOf(filter, accountId)}) AS e JOIN question_kinds USING (difficulty, type)`,
        ]
      : []),
  ];
  const by = (column: Sql, type: Sql) => sql`
    (SELECT json_object_agg(value, coalesce(n, 0) ORDER BY value)
     FROM unnest(enum_range(NULL::${type})) AS value
     LEFT JOIN (SELECT ${column} AS value, sum(n) AS n FROM counted GROUP BY 1) AS s USING (value))`;
  const [row] = await query<[{ json: string }]>(
    database,
    sql`WITH counted AS (
       SELECT category_key, max(category) AS category, difficulty, type, sum(n) AS n
       FROM (${join(parts, sql` UNION ALL `)}) AS parts JOIN question_kinds USING (index)
       WHERE ${join([sql`true`, ...kindConditions(filter)], sql` AND `)} GROUP BY category_key, difficulty, type)
     SELECT json_build_object(
       'total', (SELECT coalesce(sum(n), 0) FROM counted),
       'byCategory', (
         SELECT coalesce(json_object_agg(name, n), '{}')
         FROM (SELECT coalesce((SELECT p.name FROM catalog_counts p WHERE p.tag_key = '' AND p.category_key = c.category_key AND p.quizzes > 0),
                 max(c.category), '') AS name, sum(n) AS n
               FROM counted c GROUP BY category_key HAVING sum(n) > 0
               ORDER BY sum(n) DESC, category_key LIMIT ${LIMITS.requests.countedCategories.value}) AS used),
       'byDifficulty', ${by(sql`difficulty`, sql`difficulty`)},
       'byType', ${by(sql`type`, sql`question_type`)})::text AS json`,
  );
  return new JsonText(row.json);
}

/**
 * The questions that the caller excludes and that would match without that. Nothing by a text: its matches are counted
 * without them.
 */
export async function findExcluded(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<QuestionKey[]> {
  if (filter.exclude.length === 0 || filter.text) return [];
  return query<QuestionKey[]>(
    database,
    sql`SELECT quiz_id, position FROM (${excludedOf(filter, accountId)}) AS e ORDER BY id`,
  );
}

function excludedOf(filter: CatalogFilter, accountId: string): Sql {
  const rest = { ...filter, exclude: [] };
  return join(
    visibilityBranches(accountId).map(
      (branch) =>
        sql`SELECT * FROM questions WHERE id = ANY (${filter.exclude}::uuid[]) AND ${buildWhere(rest, branch)}`,
    ),
    sql` UNION ALL `,
  );
}
