import type { EntityManager } from 'typeorm';
import { NOBODY } from '../../access/accounts/scope.rules';
import { join, query, type Sql, sql } from '../../platform/database/sql';
import { QUESTION_CELLS } from '../catalog-counts.queries';
import { type CatalogFilter, filterConditions } from '../filters.queries';
import { countQuestions } from '../questions/counts.queries';
import { findShuffledPage } from '../questions/shuffle.queries';
import type { Difficulty } from '../vocabulary';
import type { ServedQuestion } from './opentdb.rules';

/** In Markdown, or without exactly one correct answer. The index questions_not_opentdb_idx has the same text. */
const UNFIT = sql`(format <> 'plain' OR jsonb_array_length(jsonb_path_query_array(answers, '$[*] ? (@.isCorrect == true)')) <> 1)`;

/** The questions that clients of OpenTDB are given. */
const SERVED = sql`is_public AND type <> 'OPEN_ENDED' AND NOT ${UNFIT}`;

/** A category of the taxonomy, with its number. */
export interface NumberedCategory {
  number: number;
  name: string;
  /** The folded name. */
  key: string;
}

export function findNumberedCategories(database: EntityManager): Promise<NumberedCategory[]> {
  return query(database, sql`SELECT number, name, name_key AS key FROM categories ORDER BY number`);
}

/** How many questions of a category and difficulty are served. */
export interface ServedCount {
  /** The folded name of the category; '' without one. */
  key: string;
  difficulty: Difficulty;
  questions: number;
}

/** From the counters, less the few that are not served. */
export function countServed(
  database: EntityManager,
  filter?: CatalogFilter,
): Promise<ServedCount[]> {
  const conditions = filter ? filterConditions(filter) : [];
  const where = sql`${join(
    conditions.map((condition) => sql` AND ${condition}`),
    sql``,
  )}`;
  return query(
    database,
    sql`SELECT category_key AS key, difficulty, sum(n)::int AS questions
        FROM (SELECT category_key, difficulty, questions AS n FROM ${QUESTION_CELLS}
              WHERE type <> 'OPEN_ENDED'${where}
              UNION ALL
              SELECT category_key, difficulty, -1 FROM questions
              WHERE is_public AND type <> 'OPEN_ENDED' AND ${UNFIT}${where}) AS counted
        GROUP BY 1, 2`,
  );
}

/** How often random pages are drawn before all remaining questions are read: enough unless few remain. */
const ROUNDS = 3;

/**
 * Random questions that match, drawn as by `random=true`: those that are not served, or were given before, are drawn
 * again. Where too few are found, all that remain are read: then a token is almost exhausted.
 * @param given a selection of ids that must not be drawn
 * @returns as many as `amount`, or all that remain
 */
export async function drawServed(
  database: EntityManager,
  filter: CatalogFilter,
  amount: number,
  seed: string,
  given: Sql | null,
): Promise<string[]> {
  const totals = await countQuestions(database, NOBODY, filter);
  const limit = 2 * amount;
  const found: string[] = [];
  for (let round = 0; round < ROUNDS && found.length < amount; round++) {
    const slice = { limit, offset: round * limit };
    const page = await findShuffledPage(database, NOBODY, filter, slice, totals, seed);
    const ids = (JSON.parse(page.questions.text) as { id: string }[]).map(({ id }) => id);
    found.push(...(await chooseServed(database, ids, given)));
    if (ids.length < limit) break;
  }
  if (found.length >= amount) return found.slice(0, amount);
  return findRemaining(database, filter, amount, given);
}

const notAmong = (given: Sql | null) =>
  given ? sql` AND NOT EXISTS (SELECT FROM (${given}) AS g WHERE g.id = questions.id)` : sql``;

/** Those of the questions that may be given, in the same order. */
async function chooseServed(
  database: EntityManager,
  ids: readonly string[],
  given: Sql | null,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM questions WHERE id = ANY (${ids}::uuid[]) AND ${SERVED}${notAmong(given)}
        ORDER BY array_position(${ids}::uuid[], id)`,
  );
  return rows.map(({ id }) => id);
}

async function findRemaining(
  database: EntityManager,
  filter: CatalogFilter,
  amount: number,
  given: Sql | null,
): Promise<string[]> {
  const conditions = join([SERVED, ...filterConditions(filter)], sql` AND `);
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM questions WHERE ${conditions}${notAmong(given)} ORDER BY random() LIMIT ${amount}`,
  );
  return rows.map(({ id }) => id);
}

/** These questions, in this order. */
export function findServed(
  database: EntityManager,
  ids: readonly string[],
): Promise<(ServedQuestion & { key: string })[]> {
  return query(
    database,
    sql`SELECT text, type, difficulty, answers, category_key AS key FROM questions
        WHERE id = ANY (${ids}::uuid[]) ORDER BY array_position(${ids}::uuid[], id)`,
  );
}
