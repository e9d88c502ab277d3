import type { EntityManager } from 'typeorm';
import { quizzesWithTags } from './quiz-list.queries';
import type { BrowseRow } from './responses';
import { Parameters } from './sql';
import { visibleArms } from './visibility';
import {
  DIFFICULTIES,
  mixPlace,
  QUESTION_TYPES,
  type Difficulty,
  type QuestionType,
} from './vocabulary';

/** What browsing is narrowed to. Categories and tags are folded; an empty list narrows nothing. */
export interface QuestionFilter {
  categories: readonly string[];
  difficulties: readonly Difficulty[];
  types: readonly QuestionType[];
  tags: readonly string[];
  tagsMatch: 'any' | 'all';
}

export interface Slice {
  limit: number;
  offset: number;
}

/** Questions in the order of their quizzes' creation: what is added later does not move earlier pages. */
export function findQuestionPage(
  database: EntityManager,
  accountId: string,
  filter: QuestionFilter,
  slice: Slice,
): Promise<BrowseRow[]> {
  const sql = new Parameters();
  const narrowed = narrowing(filter, sql);
  const upTo = sql.add(slice.offset + slice.limit);
  const arms = visibleArms(sql.add(accountId)).map(
    (arm) =>
      `(SELECT quiz_id, position FROM questions WHERE ${narrowed(arm)} ORDER BY quiz_id, position LIMIT ${upTo})`,
  );
  return pageOf(database, sql, arms, 'quiz_id, position', slice);
}

/**
 * Questions in an order that only chance, or the seed, decides.
 *
 * A small set is shuffled truly. A large one is entered at a random place of the one fixed shuffle that
 * every question has a place in: sorting a million questions by random() takes 269 ms, this 0.03 ms.
 */
export function findShuffledPage(
  database: EntityManager,
  accountId: string,
  filter: QuestionFilter,
  slice: Slice,
  shuffle: { seed: string | undefined; total: number; entry: number },
): Promise<BrowseRow[]> {
  const sql = new Parameters();
  const narrowed = narrowing(filter, sql);
  const visible = visibleArms(sql.add(accountId));
  if (shuffle.total <= TRUE_SHUFFLE_UP_TO) {
    const key =
      shuffle.seed === undefined ? 'random()' : `md5(${sql.add(shuffle.seed)} || id::text)`;
    const arms = visible.map(
      (arm) => `(SELECT quiz_id, position, ${key} AS key FROM questions WHERE ${narrowed(arm)})`,
    );
    return pageOf(database, sql, arms, 'key, quiz_id, position', slice);
  }
  const entry = sql.add(shuffle.entry);
  const upTo = sql.add(slice.offset + slice.limit);
  const arms = visible.flatMap((arm) =>
    [`shuffle >= ${entry}`, `shuffle < ${entry}`].map(
      (part, lap) =>
        `(SELECT ${lap} AS lap, shuffle AS place, quiz_id, position FROM questions
          WHERE ${narrowed(arm)} AND ${part} ORDER BY shuffle, quiz_id, position LIMIT ${upTo})`,
    ),
  );
  return pageOf(database, sql, arms, 'lap, place, quiz_id, position', slice);
}

/** Up to this many questions a true shuffle costs less than a millisecond for each thousand. */
export const TRUE_SHUFFLE_UP_TO = 5_000;

/**
 * Merges the arms, cuts the page out by its keys, and only then reads the page's rows.
 * @param order the columns of each arm, quiz_id and position among them, and the order that they make
 */
function pageOf(
  database: EntityManager,
  sql: Parameters,
  arms: string[],
  order: string,
  slice: Slice,
): Promise<BrowseRow[]> {
  return database.query<BrowseRow[]>(
    `SELECT q.id, q.text, q.type, q.difficulty, q.explanation, q.answers,
            q.quiz_id, z.title AS quiz_title, z.category, z.tags
     FROM (SELECT ${order} FROM (${arms.join(' UNION ALL ')}) AS merged
           ORDER BY ${order} LIMIT ${sql.add(slice.limit)} OFFSET ${sql.add(slice.offset)}) AS page
     JOIN questions q USING (quiz_id, position)
     JOIN quizzes z ON z.id = q.quiz_id
     ORDER BY ${order}`,
    sql.values,
  );
}

/**
 * How many questions there are over all pages, without counting one: everybody's from the counters (by
 * tags: from each quiz's own mix), the caller's from the mix of their few private quizzes.
 */
export async function countQuestions(
  database: EntityManager,
  accountId: string,
  filter: QuestionFilter,
): Promise<number> {
  const sql = new Parameters();
  const difficulties = filter.difficulties.length > 0 ? filter.difficulties : DIFFICULTIES;
  const types = filter.types.length > 0 ? filter.types : QUESTION_TYPES;
  const kinds = difficulties.flatMap((difficulty) =>
    types.map((type) => `question_mix[${mixPlace(difficulty, type)}]`),
  );
  const [everybodys, mine] = visibleArms(sql.add(accountId));
  const inCategory =
    filter.categories.length > 0 ? ` AND category_key = ANY (${sql.add(filter.categories)})` : '';
  const tagged = filter.tags.length > 0 ? quizzesWithTags(filter, sql) : undefined;
  const fromQuizzes = (arm: string) => `
    SELECT coalesce(sum(${kinds.join(' + ')}), 0) FROM quizzes WHERE ${arm}${inCategory}${tagged ? ` AND id IN (${tagged(arm)})` : ''}`;
  const fromCounters = () => `
    SELECT coalesce(sum(questions), 0) FROM question_counts
    WHERE difficulty = ANY (${sql.add(difficulties)}::difficulty[]) AND type = ANY (${sql.add(types)}::question_type[])${inCategory}`;
  const [row] = await database.query<[{ total: number }]>(
    `SELECT ((${tagged ? fromQuizzes(everybodys) : fromCounters()}) + (${fromQuizzes(mine)}))::int AS total`,
    sql.values,
  );
  return row.total;
}

/** Makes the condition for an arm's questions that pass the filter. */
function narrowing(filter: QuestionFilter, sql: Parameters): (arm: string) => string {
  const conditions: string[] = [];
  const anyOf = (column: string, values: readonly string[], type: string) => {
    if (values.length === 1) conditions.push(`${column} = ${sql.add(values[0])}`);
    else if (values.length > 1) conditions.push(`${column} = ANY (${sql.add(values)}::${type}[])`);
  };
  anyOf('category_key', filter.categories, 'text');
  anyOf('difficulty', filter.difficulties, 'difficulty');
  anyOf('type', filter.types, 'question_type');
  const tagged = filter.tags.length > 0 ? quizzesWithTags(filter, sql) : undefined;
  return (arm) =>
    [arm, ...conditions, ...(tagged ? [`quiz_id IN (${tagged(arm)})`] : [])].join(' AND ');
}
