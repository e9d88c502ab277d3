import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../platform/database/sql';
import { containing } from '../platform/text/text.rules';

/** Text that a question contains, folded. */
export interface TextFilter {
  folded: string;
  /** All quizzes that may have such a question; null if there are too many to list. */
  quizIds: readonly string[] | null;
}

/** What pg_trgm can look up: three letters in a row, or one or two at the edge of a word. */
const HAS_TRIGRAM =
  /[\p{L}\p{M}\p{N}]{3}|[^\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}]|[\p{L}\p{M}\p{N}]{2}[^\p{L}\p{M}\p{N}]/u;

/** With more matching blocks than this, walking all questions in order meets a match soon enough. */
const MATCHES_UP_TO = 500;

/**
 * How many quizzes that wait for the index are listed beside the matching ones. They say nothing about how frequent the
 * text is, so somebody's large import must not have others walk all questions for a rare one.
 */
const CHANGED_UP_TO = 5_000;

/** Looks the text up in the index of questions, which any quiz that has changed since is not in. */
export async function locateText(database: EntityManager, folded: string): Promise<TextFilter> {
  if (!HAS_TRIGRAM.test(folded)) return { folded, quizIds: null };
  const [{ matching, changed, quizIds }] = await query<
    [{ matching: number; changed: number; quizIds: string[] }]
  >(
    database,
    sql`WITH matching AS (
          SELECT quiz_id FROM question_search WHERE ${contentContains(folded)} LIMIT ${MATCHES_UP_TO + 1}
        ), changed AS (
          SELECT quiz_id FROM question_search WHERE block = 0 LIMIT ${CHANGED_UP_TO + 1})
        SELECT (SELECT count(*)::int FROM matching) AS matching, (SELECT count(*)::int FROM changed) AS changed,
          ARRAY(SELECT quiz_id FROM matching UNION SELECT quiz_id FROM changed) AS "quizIds"`,
  );
  const areListed = matching <= MATCHES_UP_TO && changed <= CHANGED_UP_TO;
  return { folded, quizIds: areListed ? quizIds : null };
}

/**
 * The condition on a question. PostgreSQL knows nothing about how often strpos finds something and expects a third of
 * all rows: so it reads them in their order until the page is full.
 */
export function hasText({ folded, quizIds }: TextFilter): Sql[] {
  const key = sql`coalesce(text_key, lower(text))`;
  if (!quizIds) return [sql`strpos(${key}, ${folded}) > 0`];
  return [sql`quiz_id = ANY (${quizIds}::uuid[])`, sql`${key} LIKE ${containing(folded)}`];
}

/**
 * The condition on a row of quiz_search or question_search. A text without a trigram ("ab", "...", "😀😀😀") does not
 * use the index: it would return all of its entries, three times the work of reading the table.
 */
export function contentContains(folded: string): Sql {
  return HAS_TRIGRAM.test(folded)
    ? sql`content LIKE ${containing(folded)}`
    : sql`strpos(content, ${folded}) > 0`;
}
