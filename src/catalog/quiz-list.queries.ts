import type { EntityManager } from 'typeorm';
import type { QuizListRow } from './responses';
import { containing, Parameters } from './sql';
import { visibleArms } from './visibility';
import type { Difficulty } from './vocabulary';

/** What a list of quizzes is narrowed to. Names and tags are folded. */
export interface QuizFilter {
  category?: string;
  difficulty?: Difficulty;
  tags: readonly string[];
  tagsMatch: 'any' | 'all';
  topic?: string;
}

/** Each order ends in the id, so that pages never overlap (contract, "sort ties"). */
const ORDERS = {
  popular: 'plays DESC, created_at DESC, id DESC',
  newest: 'created_at DESC, id DESC',
  title: 'title_sort, id',
} as const;
export type QuizOrder = keyof typeof ORDERS;
export const QUIZ_ORDERS = Object.keys(ORDERS) as QuizOrder[];

export const LIST_COLUMNS =
  'id, title, description, category, difficulty, tags, question_count, plays::int AS plays, slug';

/** One page: the order's keys from both arms, merged, and only then the page's rows. */
export function findQuizPage(
  database: EntityManager,
  accountId: string,
  filter: QuizFilter,
  page: { sort: QuizOrder; limit: number; offset: number },
): Promise<QuizListRow[]> {
  const sql = new Parameters();
  const order = ORDERS[page.sort];
  const condition = conditionOf(filter, sql);
  const upTo = sql.add(page.offset + page.limit);
  const arms = visibleArms(sql.add(accountId)).map(
    (arm) =>
      `(SELECT id, plays, created_at, title_sort FROM quizzes WHERE ${arm}${condition} ORDER BY ${order} LIMIT ${upTo})`,
  );
  return database.query<QuizListRow[]>(
    `SELECT ${LIST_COLUMNS} FROM quizzes
     JOIN (SELECT id FROM (${arms.join(' UNION ALL ')}) AS keys
           ORDER BY ${order} LIMIT ${sql.add(page.limit)} OFFSET ${sql.add(page.offset)}) AS page USING (id)
     ORDER BY ${order}`,
    sql.values,
  );
}

/** How many quizzes there are over all pages: counters for everybody's, a count of the caller's few. */
export async function countQuizzes(
  database: EntityManager,
  accountId: string,
  filter: QuizFilter,
): Promise<number> {
  const sql = new Parameters();
  const condition = conditionOf(filter, sql);
  const [everybodys, mine] = visibleArms(sql.add(accountId));
  const counted =
    filter.tags.length > 0 || filter.topic !== undefined
      ? `SELECT count(*) FROM quizzes WHERE ${everybodys}${condition}`
      : `SELECT coalesce(sum(quizzes), 0) FROM quiz_counts WHERE true${condition}`;
  const [row] = await database.query<[{ total: number }]>(
    `SELECT ((${counted}) + (SELECT count(*) FROM quizzes WHERE ${mine}${condition}))::int AS total`,
    sql.values,
  );
  return row.total;
}

function conditionOf(filter: QuizFilter, sql: Parameters): string {
  const conditions: string[] = [];
  if (filter.category !== undefined) conditions.push(`category_key = ${sql.add(filter.category)}`);
  if (filter.difficulty !== undefined)
    conditions.push(`difficulty = ${sql.add(filter.difficulty)}`);
  if (filter.tags.length > 0) conditions.push(`id IN (${quizzesWithTags(filter, sql)})`);
  if (filter.topic !== undefined)
    conditions.push(
      `id IN (SELECT quiz_id FROM quiz_search WHERE content LIKE ${sql.add(containing(filter.topic))})`,
    );
  return conditions.map((condition) => ` AND ${condition}`).join('');
}

/** Ids of the quizzes that carry any, or all, of the tags. */
export function quizzesWithTags(
  { tags, tagsMatch }: Pick<QuizFilter, 'tags' | 'tagsMatch'>,
  sql: Parameters,
): string {
  const any = `SELECT quiz_id FROM quiz_tags WHERE tag_key = ANY (${sql.add(tags)})`;
  return tagsMatch === 'any'
    ? any
    : `${any} GROUP BY quiz_id HAVING count(*) = ${sql.add(tags.length)}`;
}
