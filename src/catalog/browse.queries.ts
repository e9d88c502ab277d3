import type { EntityManager } from 'typeorm';
import { quizzesWithTags } from './quiz-list.queries';
import { queryPrepared } from '../platform/database/prepared';
import { JsonText } from '../platform/http/json-text';
import { BROWSE_QUESTION } from './responses';
import { asJsonArray, Parameters } from './sql';
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

/** A page of BrowseQuestion. */
export interface QuestionPage {
  questions: JsonText;
  count: number;
}

/**
 * Questions in the order of their quizzes' creation: what is added later does not move earlier pages.
 * The first page of all is a prepared statement (see findQuizPage).
 */
export function findQuestionPage(
  database: EntityManager,
  accountId: string,
  filter: QuestionFilter,
  slice: Slice,
): Promise<QuestionPage> {
  const sql = new Parameters();
  const narrowed = narrowing(filter, sql);
  const isFirst = slice.offset === 0 && isUnfiltered(filter);
  const upTo = isFirst ? String(slice.limit) : sql.add(slice.offset + slice.limit);
  const arms = visibleArms(sql.add(accountId)).map(
    (arm) =>
      `(SELECT quiz_id, position FROM questions WHERE ${narrowed(arm)} ORDER BY quiz_id, position LIMIT ${upTo})`,
  );
  return pageOf(database, sql, arms, 'quiz_id, position', slice, isFirst);
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
): Promise<QuestionPage> {
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
async function pageOf(
  database: EntityManager,
  sql: Parameters,
  arms: string[],
  order: string,
  slice: Slice,
  isFirst = false,
): Promise<QuestionPage> {
  const number = isFirst ? String : sql.add;
  const text = asJsonArray(
    `SELECT ${BROWSE_QUESTION}
     FROM (SELECT ${order} FROM (${arms.join(' UNION ALL ')}) AS merged
           ORDER BY ${order} LIMIT ${number(slice.limit)} OFFSET ${number(slice.offset)}) AS page
     JOIN questions q USING (quiz_id, position)
     JOIN quizzes z ON z.id = q.quiz_id
     ORDER BY ${order}`,
  );
  const [row] = isFirst
    ? await queryPrepared<[PageRow]>(database, text, sql.values)
    : await database.query<[PageRow]>(text, sql.values);
  return { questions: new JsonText(row.json), count: row.count };
}

interface PageRow {
  json: string;
  count: number;
}

const isUnfiltered = ({ categories, difficulties, types, tags }: QuestionFilter) =>
  categories.length + difficulties.length + types.length + tags.length === 0;

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
  const text = `SELECT ((${tagged ? fromQuizzes(everybodys) : fromCounters()}) + (${fromQuizzes(mine)}))::int AS total`;
  const [row] = isUnfiltered(filter)
    ? await queryPrepared<[{ total: number }]>(database, text, sql.values)
    : await database.query<[{ total: number }]>(text, sql.values);
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
