import type { DataSource, EntityManager } from 'typeorm';
import { query, type Slice, type Sql, sql } from '../../platform/database/sql';
import { containing } from '../../platform/text/text.rules';
import type { AccountRow } from './account-administration.dto';
import type { DeletedAccount } from './account-content';

/** @param selected which accounts: keys are looked up only for these */
const accountRows = (selected: Sql, now: Date): Sql => sql`
SELECT a.id, a.email, a.plan, a.requested_plan AS "requestedPlan", a.is_admin AS "isAdmin", a.created_at AS "createdAt",
  a.disabled_at AS "disabledAt", a.deleted_at AS "deletedAt", k.keys, greatest(a.last_seen_at, k.used) AS "lastSeenAt"
FROM (SELECT * FROM accounts ${selected}) a CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}))::int AS keys,
    max(last_used_at) AS used
  FROM api_keys WHERE account_id = a.id
) k`;

/** Those that have asked for a plan, then the newest. */
const ORDER = sql`ORDER BY (requested_plan IS NULL), created_at DESC, id DESC`;

/** A page of accounts whose folded address contains `text`. */
export function findAccountRows(
  database: DataSource | EntityManager,
  text: string,
  { limit, offset }: Slice,
  now: Date,
): Promise<AccountRow[]> {
  const page = sql`WHERE email_key LIKE ${containing(text)} ${ORDER} LIMIT ${limit} OFFSET ${offset}`;
  return query(database, sql`${accountRows(page, now)} ${ORDER}`);
}

export async function findAccountRow(
  database: DataSource,
  id: string,
  now: Date,
): Promise<AccountRow | undefined> {
  const [row] = await query<AccountRow[]>(database, accountRows(sql`WHERE id = ${id}`, now));
  return row;
}

/** Among how many of the latest audit entries decisions about plans are looked for. */
const LOOKED_AT = 5_000;

/** The median time from a request for a plan to its decision, in seconds; null without a decision. */
export async function findDecisionTime(database: DataSource): Promise<number | null> {
  const [row] = await query<[{ seconds: number | null }]>(
    database,
    sql`
SELECT (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM decided.at - asked.at)))::float8 AS seconds
FROM (SELECT id, at, action, object_id FROM audit_entries ORDER BY id DESC LIMIT ${LOOKED_AT}) AS decided
CROSS JOIN LATERAL (
  SELECT action, at FROM audit_entries earlier
  WHERE object_id = decided.object_id AND earlier.id < decided.id
    AND action IN ('account.plan-requested', 'account.plan-changed', 'account.plan-declined')
  ORDER BY earlier.id DESC LIMIT 1
) AS asked
WHERE decided.action IN ('account.plan-changed', 'account.plan-declined') AND asked.action = 'account.plan-requested'`,
  );
  return row.seconds;
}

/** Nobody else changes an account until the transaction ends. Reading goes on. */
export async function lockAccounts(tx: EntityManager): Promise<void> {
  await query(tx, sql`LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE`);
}

/**
 * Locks an account and the one that acts on it until the transaction ends; for an administrator's account, also those of all
 * other administrators. In the order of ids, so that no two transactions deadlock.
 */
export async function lockWithAdministrators(
  tx: EntityManager,
  id: string,
  actorId: string,
): Promise<void> {
  await query(
    tx,
    sql`SELECT FROM accounts
        WHERE id IN (${id}, ${actorId}) OR is_admin AND (SELECT is_admin FROM accounts WHERE id = ${id})
        ORDER BY id FOR NO KEY UPDATE`,
  );
}

/**
 * An account that was deleted before a time and of which something is left; locked for one worker. A random one: if the
 * deletion of one fails, those of the others go on.
 */
export async function takeDeletedAccount(
  tx: EntityManager,
  before: Date,
): Promise<DeletedAccount | undefined> {
  const [row] = await query<DeletedAccount[]>(
    tx,
    sql`SELECT id, deletion AS quizzes, deleted_at AS "deletedAt" FROM accounts WHERE deletion IS NOT NULL AND deleted_at <= ${before}
        ORDER BY random() LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
  );
  return row;
}
