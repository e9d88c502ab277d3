import type { DataSource, EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import type { Language } from '../../platform/messages/languages';
import type { FlashMessage, SignedIn } from './sessions.dto';

/** Sessions that were opened, or last used, before these times have ended. */
export interface Oldest {
  created: Date;
  seen: Date;
}

/** The session with this token and its account, unless it has ended or the account is disabled. */
export async function findSignedIn(
  database: DataSource,
  tokenHash: Buffer,
  { created, seen }: Oldest,
): Promise<(SignedIn & { seen: Date }) | undefined> {
  const [row] = await query<(SignedIn & { seen: Date })[]>(
    database,
    sql`
SELECT s.id AS "sessionId", s.last_seen_at AS seen, a.id AS "accountId", a.email, a.plan, a.is_admin AS "isAdmin",
  a.requested_plan AS "requestedPlan", a.language,
  (SELECT count(*)::int FROM notices WHERE account_id = a.id AND read_at IS NULL) AS unread,
  (SELECT count(*)::int FROM accounts WHERE a.is_admin AND requested_plan IS NOT NULL) AS "planRequests",
  EXISTS (SELECT FROM api_keys WHERE account_id = a.id)
    OR EXISTS (SELECT FROM webhook_endpoints WHERE account_id = a.id AND deleted_at IS NULL) AS "usesApi"
FROM sessions s JOIN accounts a ON a.id = s.account_id
WHERE s.token_hash = ${tokenHash} AND s.created_at > ${created} AND s.last_seen_at > ${seen} AND a.disabled_at IS NULL`,
  );
  return row;
}

/** Locks the account until the end of the transaction: a change of its password waits, and ends the new session too. */
export async function lockForSignIn(
  tx: EntityManager,
  accountId: string,
  passwordHash: string | undefined,
  now: Date,
): Promise<boolean> {
  const hash = passwordHash ?? null;
  const [, found] = await query<[unknown, number]>(
    tx,
    sql`UPDATE accounts SET last_seen_at = ${now}
        WHERE id = ${accountId} AND disabled_at IS NULL AND deleted_at IS NULL
          AND (${hash}::text IS NULL OR password_hash = ${hash})`,
  );
  return found > 0;
}

/** Ends the least recently used sessions of the account beyond so many. */
export async function endSessionsBeyond(
  tx: EntityManager,
  accountId: string,
  most: number,
): Promise<void> {
  await query(
    tx,
    sql`DELETE FROM sessions WHERE id IN (
          SELECT id FROM sessions WHERE account_id = ${accountId} ORDER BY last_seen_at DESC, id DESC OFFSET ${most})`,
  );
}

/**
 * The message for the next page of the session, which is removed. An older process sets only the text of the next one:
 * it is then no refusal.
 */
export async function takeFlashMessage(
  database: DataSource,
  id: string,
): Promise<FlashMessage | null> {
  const [rows] = await query<[FlashMessage[], number]>(
    database,
    sql`UPDATE sessions s SET notice = NULL, notice_is_refusal = false
        FROM (SELECT id, notice, notice_is_refusal FROM sessions
              WHERE id = ${id} AND notice IS NOT NULL FOR UPDATE) old
        WHERE s.id = old.id RETURNING old.notice AS text, old.notice_is_refusal AS "isRefusal"`,
  );
  return rows[0] ?? null;
}

/** The session and its account were used now. */
export async function touch(
  database: DataSource,
  { sessionId, accountId }: SignedIn,
  now: Date,
): Promise<void> {
  await query(
    database,
    sql`WITH session AS (UPDATE sessions SET last_seen_at = ${now} WHERE id = ${sessionId})
        UPDATE accounts SET last_seen_at = ${now} WHERE id = ${unlocked(accountId)}`,
  );
}

/** The user asked for this language. */
export async function storeLanguage(
  database: DataSource,
  accountId: string,
  language: Language,
): Promise<void> {
  await query(
    database,
    sql`UPDATE accounts SET language = ${language} WHERE id = ${unlocked(accountId)}`,
  );
}

/**
 * The id of the account, unless it is deleted or its row is locked: an import can lock it for seconds, and the page views of
 * this time would each wait with a connection. They skip the write, and a later page tries again.
 */
const unlocked = (accountId: string): Sql =>
  sql`(SELECT id FROM accounts WHERE id = ${accountId} AND deleted_at IS NULL FOR NO KEY UPDATE SKIP LOCKED)`;
