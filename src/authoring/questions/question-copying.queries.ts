import type { EntityManager } from 'typeorm';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { visibleTo } from '../../catalog/visibility.queries';
import { query, sql } from '../../platform/database/sql';

/** A question with what a copy keeps, and where it is. */
export interface CopiedQuestion extends StoredQuestion {
  source: string | null;
  licence: string | null;
  quizId: string;
  ownerId: string;
}

/** Those of these questions that the account may see, in the order of the ids. */
export function findQuestionsToCopy(
  tx: EntityManager,
  accountId: string,
  ids: readonly string[],
): Promise<CopiedQuestion[]> {
  return query(
    tx,
    sql`SELECT q.id, text, type, difficulty, format, explanation, position, answers, source, licence,
          quiz_id AS "quizId", owner_id AS "ownerId"
        FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS wanted (id, turn) JOIN questions q ON q.id = wanted.id
        WHERE ${visibleTo(accountId)} ORDER BY turn`,
  );
}
