import type { DataSource, EntityManager } from 'typeorm';
import { columnOf, query, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { newId } from '../../platform/text/ids';
import type { Notice } from './notice.entity';

/** A notice that is new. */
export type NewNotice = Pick<Notice, 'accountId' | 'title' | 'detail' | 'path'>;

/**
 * Records notices in the transaction of their change. An account keeps a limited number: beyond it the oldest are deleted.
 * @param once skips a notice that the account already has unread
 */
export async function recordNotices(
  tx: EntityManager,
  now: Date,
  notices: readonly NewNotice[],
  { once = false } = {},
): Promise<void> {
  if (notices.length === 0) return;
  const accounts = columnOf(notices, 'accountId');
  const ids = notices.map(() => newId());
  const added = await query<object[]>(
    tx,
    sql`
INSERT INTO notices (id, account_id, title, detail, path, created_at, mail_at)
SELECT id, account_id, title, detail, path, ${now}, ${now}
FROM unnest(${ids}::uuid[], ${accounts}::uuid[], ${columnOf(notices, 'title')}::text[], ${columnOf(notices, 'detail')}::text[], ${columnOf(notices, 'path')}::text[])
  AS n (id, account_id, title, detail, path)
WHERE NOT ${once}::boolean OR NOT EXISTS (
  SELECT FROM notices o WHERE (o.account_id, o.path, o.title, o.detail) = (n.account_id, n.path, n.title, n.detail) AND read_at IS NULL)
RETURNING id`,
  );
  if (added.length === 0) return;
  await query(
    tx,
    sql`
DELETE FROM notices WHERE id IN (
  SELECT old.id FROM unnest(${accounts}::uuid[]) AS a (id) CROSS JOIN LATERAL (
    SELECT id FROM notices WHERE account_id = a.id ORDER BY id DESC OFFSET ${LIMITS.accounts.notices.value} FOR UPDATE SKIP LOCKED)
    AS old)`,
  );
}

/** Marks a notice of the account as read. @returns its page */
export async function markNoticeRead(
  database: DataSource,
  accountId: string,
  id: string,
  now: Date,
): Promise<string | undefined> {
  const [rows] = await query<[{ path: string }[], number]>(
    database,
    sql`UPDATE notices SET read_at = coalesce(read_at, ${now}) WHERE account_id = ${accountId} AND id = ${id} RETURNING path`,
  );
  return rows[0]?.path;
}

/** A notice to be sent by e-mail. */
export interface DueMail extends Pick<Notice, 'id' | 'title' | 'detail' | 'path'> {
  email: string;
  language: string | null;
  isWanted: boolean;
}

/**
 * Takes a notice that is due and was made after `since`; it is due again after twice the time, if it is not sent.
 * Accounts of the service itself, such as the demo account, have addresses without a mailbox.
 */
export async function takeDueMail(
  database: DataSource,
  now: Date,
  since: Date,
): Promise<DueMail | undefined> {
  const [[due]] = await query<[DueMail[], number]>(
    database,
    sql`
UPDATE notices n SET mail_at = ${now}::timestamptz + (${now} - n.created_at) + interval '1 minute'
FROM accounts a
WHERE a.id = n.account_id AND n.id = (
  SELECT id FROM notices WHERE mail_at <= ${now} AND created_at > ${since} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING n.id, a.email, a.language, n.title, n.detail, n.path,
  a.mails AND a.disabled_at IS NULL AND a.email NOT LIKE '%.invalid' AS "isWanted"`,
  );
  return due;
}
