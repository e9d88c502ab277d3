import { join, type Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { buildWhere, type CatalogFilter } from '../filters.queries';
import { visibilityBranches } from '../visibility.queries';

/**
 * The questions that a filter by text finds: the first `textMatches` in the order of browsing. Lists, counts and random
 * draws are of these; to find all that have a frequent text, PostgreSQL would have to read every question.
 */
export function firstByText(filter: CatalogFilter, accountId: string): Sql {
  const first = sql`ORDER BY quiz_id, position LIMIT ${LIMITS.requests.textMatches.value}`;
  const branches = visibilityBranches(accountId).map(
    (branch) =>
      sql`(SELECT id, quiz_id, position, category_key, difficulty, type
           FROM questions WHERE ${buildWhere(filter, branch)} ${first})`,
  );
  return sql`SELECT * FROM (${join(branches, sql` UNION ALL `)}) AS matches ${first}`;
}
