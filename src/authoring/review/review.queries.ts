import type { DataSource, EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** Notes that a quiz is public for the first time. @returns null if it is not, or was before */
export async function noteFirstPublic(
  tx: EntityManager,
  quizId: string,
  now: Date,
): Promise<{ ownerId: string; title: string } | null> {
  const [[quiz]] = await query<[{ ownerId: string; title: string }[]]>(
    tx,
    sql`UPDATE quizzes SET first_public_at = ${now}
        WHERE id = ${quizId} AND is_public AND first_public_at IS NULL RETURNING owner_id AS "ownerId", title`,
  );
  return quiz ?? null;
}

/** The account's public quizzes of which that was not noted yet. */
export async function findUnannounced(tx: EntityManager, accountId: string): Promise<string[]> {
  const quizzes = await query<{ id: string }[]>(
    tx,
    sql`SELECT id FROM quizzes WHERE owner_id = ${accountId} AND is_public AND first_public_at IS NULL ORDER BY id`,
  );
  return quizzes.map(({ id }) => id);
}

/** The next quiz that waits after this one; after the last comes the first. null if no other waits. */
export async function findNextWaiting(database: DataSource, after: string): Promise<string | null> {
  const [next] = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM quizzes WHERE published AND approval = 'pending' AND id <> ${after}
        ORDER BY (created_at, id) <= (SELECT created_at, id FROM quizzes WHERE id = ${after}), created_at, id LIMIT 1`,
  );
  return next?.id ?? null;
}
