/** The place of an event in the order of `LIST_EVENTS`. $1 id, $2 account. */
export const PLACE_OF_EVENT = `
SELECT transaction_id AS "transactionId", id FROM outbox_events WHERE id = $1 AND account_id = $2`;

/**
 * Events of an account in the order in which their transactions began to write, and only of transactions before the
 * first that is still open: so no event ever appears before one that was listed. From each type at most a page, by the
 * index. $1 account, $2 types, $3 and $4 the place to begin after, $5 limit.
 */
export const LIST_EVENTS = `
SELECT o.id, o.name AS type, o.created_at AS "createdAt", o.body
FROM unnest($2::text[]) AS wanted (type)
CROSS JOIN LATERAL (
  SELECT id, transaction_id FROM outbox_events
  WHERE account_id = $1 AND name = wanted.type AND (transaction_id, id) > ($3::bigint, $4::uuid)
    AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  ORDER BY transaction_id, id LIMIT $5
) place
JOIN outbox_events o ON o.id = place.id
ORDER BY place.transaction_id, place.id LIMIT $5`;

/**
 * The last transaction of the stored events, where it was one of another cluster: a dump was restored into this one,
 * which counts anew and has not come so far. What it has stored itself is of no transaction after its snapshot.
 */
export const RESTORED_TRANSACTION = `
SELECT last FROM (
  SELECT max(transaction_id) AS last FROM (
    SELECT transaction_id FROM outbox_events ORDER BY id DESC LIMIT 1000
  ) newest
) restored
WHERE last >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** Puts the restored events, in their order, before those to come. $1 their last transaction. */
export const REBASE_RESTORED_EVENTS = `UPDATE outbox_events SET transaction_id = transaction_id - $1`;
