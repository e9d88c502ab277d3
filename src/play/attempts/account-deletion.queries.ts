import type { EntityManager } from 'typeorm';
import { columnOf, query, type Sql, sql } from '../../platform/database/sql';
import { DELETED_PLAYERS } from './visitor.rules';

/** An attempt, or a place on a leaderboard, of a player of a deleted account. */
export interface NamedPlayer {
  /** Null: the attempt is across quizzes. */
  quizId: string | null;
  player: string;
  /** The owner of the quiz, who has received events about the player; null: it was deleted. */
  ownerId: string | null;
}

/** The same with the name that the player gets. */
export type RenamedPlayer<Row> = Row & { name: string };

/** Attempts whose players still have a name. */
export function findNamedAttempts(
  tx: EntityManager,
  accountId: string,
  limit: number,
): Promise<(NamedPlayer & { id: string })[]> {
  return query(
    tx,
    sql`SELECT id, quiz_id AS "quizId", player, owner_id AS "ownerId" FROM quiz_attempts
        WHERE account_id = ${accountId} AND player NOT LIKE ${DELETED_PLAYERS} LIMIT ${limit}`,
  );
}

export async function renameInAttempts(
  tx: EntityManager,
  attempts: readonly RenamedPlayer<{ id: string }>[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE quiz_attempts a SET player = n.name
        FROM unnest(${columnOf(attempts, 'id')}::uuid[], ${columnOf(attempts, 'name')}::text[]) AS n (id, name)
        WHERE a.id = n.id`,
  );
}

/** Players on leaderboards who still have a name. */
export function findNamedEntries(
  tx: EntityManager,
  accountId: string,
  limit: number,
): Promise<(NamedPlayer & { quizId: string })[]> {
  return query(
    tx,
    sql`SELECT l.quiz_id AS "quizId", player, q.owner_id AS "ownerId"
        FROM leaderboard_entries l LEFT JOIN quizzes q ON q.id = l.quiz_id
        WHERE account_id = ${accountId} AND player NOT LIKE ${DELETED_PLAYERS} LIMIT ${limit}`,
  );
}

export async function renameOnLeaderboards(
  tx: EntityManager,
  accountId: string,
  entries: readonly RenamedPlayer<NamedPlayer>[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE leaderboard_entries l SET player = n.name FROM ${renamedAt(entries)}
        WHERE l.account_id = ${accountId} AND l.quiz_id = n.quiz_id AND l.player = n.player`,
  );
}

/** The distinct players of these rows at their quizzes. */
const renamedAt = (rows: readonly RenamedPlayer<NamedPlayer>[]): Sql => sql`(
  SELECT DISTINCT quiz_id, player, name
  FROM unnest(${columnOf(rows, 'quizId')}::uuid[], ${columnOf(rows, 'player')}::text[], ${columnOf(rows, 'name')}::text[])
    AS u (quiz_id, player, name)) AS n`;

/** Links name pupils, and reports are written by players: both are about the account's quizzes. @returns whether more may be left */
export async function deleteLinksAndReports(
  tx: EntityManager,
  accountId: string,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const table of [sql`quiz_links`, sql`question_reports`]) {
    const [, count] = await query<[unknown, number]>(
      tx,
      sql`DELETE FROM ${table} WHERE id IN (
            SELECT t.id FROM ${table} t JOIN quizzes q ON q.id = t.quiz_id
            WHERE q.owner_id = ${accountId} LIMIT ${limit})`,
    );
    more ||= count === limit;
  }
  return more;
}
