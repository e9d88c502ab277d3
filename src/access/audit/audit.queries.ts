import type { DataSource, EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import type { AuditEntryView, AuditFilter, ListedAuditEntry } from './audit.dto';
import type { AuditEntry } from './audit-entry.entity';

const FIELDS = sql`id, at, actor_email AS "actorEmail", action, object_kind AS "objectKind",
  object_id AS "objectId", object_name AS "objectName", detail`;

/** `ListedAuditEntry`. A quiz has a page for administrators while it is published, an account always. */
const LISTED = sql`
SELECT ${FIELDS}, CASE object_kind
    WHEN 'quiz' THEN NOT EXISTS (SELECT FROM quizzes WHERE quizzes.id = object_id::uuid AND published) ELSE false END AS "isGone"
FROM audit_entries`;

function matches({ text = '', subject = '' }: AuditFilter): Sql {
  return sql`(${text} = '' OR strpos(lower(actor_email || ' ' || object_name || ' ' || detail), lower(${text})) > 0)
    AND (${subject} = '' OR split_part(action, '.', 1) = ${subject})`;
}

/** @param entry without `actorEmail`: the address of the actor's account is stored, or '' if there is no such account */
export async function insertEntry(
  tx: EntityManager,
  entry: Omit<AuditEntry, 'actorEmail'> & { actorEmail: string | undefined },
): Promise<void> {
  const { id, at, actorId, actorEmail, action, objectKind, objectId, objectName, detail } = entry;
  await query(
    tx,
    sql`INSERT INTO audit_entries (id, at, actor_id, actor_email, action, object_kind, object_id, object_name, detail)
        VALUES (${id}, ${at}, ${actorId},
          coalesce(${actorEmail}::text, (SELECT email FROM accounts WHERE id = ${actorId}), ''),
          ${action}, ${objectKind}, ${objectId}, ${objectName}, ${detail})`,
  );
}

/** A page of the entries before one, newest first. */
export function findEntriesBefore(
  database: DataSource,
  before: string | null,
  filter: AuditFilter,
  limit: number,
): Promise<ListedAuditEntry[]> {
  return query(
    database,
    sql`${LISTED} WHERE (${before}::uuid IS NULL OR id < ${before}) AND ${matches(filter)} ORDER BY id DESC LIMIT ${limit}`,
  );
}

/** The entries after one, oldest first. */
export function findEntriesAfter(
  database: DataSource,
  after: string | null,
  filter: AuditFilter,
  limit: number,
): Promise<AuditEntryView[]> {
  return query(
    database,
    sql`SELECT ${FIELDS} FROM audit_entries
        WHERE (${after}::uuid IS NULL OR id > ${after}) AND ${matches(filter)} ORDER BY id LIMIT ${limit}`,
  );
}

/** What was done to one object, newest first. */
export function findEntriesAbout(
  database: DataSource,
  objectId: string,
  limit: number,
): Promise<ListedAuditEntry[]> {
  return query(
    database,
    sql`${LISTED} WHERE object_id = ${objectId} ORDER BY id DESC LIMIT ${limit}`,
  );
}

/** SQL instead of the entity of keys: its folder imports this one. */
export async function findKeyName(
  tx: EntityManager,
  keyId: string,
): Promise<{ name: string; prefix: string; lastFour: string } | undefined> {
  const [key] = await query<{ name: string; prefix: string; lastFour: string }[]>(
    tx,
    sql`SELECT name, prefix, last_four AS "lastFour" FROM api_keys WHERE id = ${keyId}`,
  );
  return key;
}

/**
 * Empties what entries say about a deleted account, except ids, actions and times.
 * @param objects the ids of objects of the account; none: entries of what the account itself did
 */
export async function redactEntries(
  tx: EntityManager,
  accountId: string,
  objects: readonly string[],
): Promise<void> {
  await query(tx, sql`SELECT redact_audit_entries(${accountId}, ${objects}::text[])`);
}

/** By the database's clock and in a function with its owner's rights: the role of the service may only add entries. */
export async function pruneEntries(database: DataSource, limit: number): Promise<number> {
  const [row] = await query<{ count: number }[]>(
    database,
    sql`SELECT prune_audit_entries(${limit}) AS count`,
  );
  return row?.count ?? 0;
}
