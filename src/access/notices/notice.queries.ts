import type { EntityManager } from 'typeorm';
import { LIMITS } from '../../platform/limits/limits';
import { newId } from '../../platform/text/ids';

/** Something that has happened to what an account owns: its user reads it in the dashboard, and by e-mail. */
export interface NewNotice {
  accountId: string;
  title: string;
  detail: string;
  /** The page about it, below /dashboard. */
  path: string;
}

/**
 * Records notices in the transaction of their change. An account keeps a limited number: beyond it the oldest go.
 * @param once a notice is not repeated while the account has an unread one with the same words
 */
export async function recordNotices(
  tx: EntityManager,
  now: Date,
  notices: readonly NewNotice[],
  { once = false } = {},
): Promise<void> {
  if (notices.length === 0) return;
  const column = (name: keyof NewNotice) => notices.map((notice) => notice[name]);
  const accounts = column('accountId');
  const added = await tx.query<object[]>(INSERT, [
    notices.map(() => newId()),
    accounts,
    column('title'),
    column('detail'),
    column('path'),
    now,
    once,
  ]);
  if (added.length > 0) await tx.query(DELETE_OLDEST, [accounts, LIMITS.accounts.notices.value]);
}

const INSERT = `
INSERT INTO notices (id, account_id, title, detail, path, created_at, mail_at)
SELECT id, account_id, title, detail, path, $6, $6
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) AS n (id, account_id, title, detail, path)
WHERE NOT $7::boolean OR NOT EXISTS (
  SELECT FROM notices o WHERE (o.account_id, o.path, o.title, o.detail) = (n.account_id, n.path, n.title, n.detail) AND read_at IS NULL)
RETURNING id`;

const DELETE_OLDEST = `
DELETE FROM notices WHERE id IN (
  SELECT old.id FROM unnest($1::uuid[]) AS a (id) CROSS JOIN LATERAL (
    SELECT id FROM notices WHERE account_id = a.id ORDER BY id DESC OFFSET $2 FOR UPDATE SKIP LOCKED) AS old)`;
