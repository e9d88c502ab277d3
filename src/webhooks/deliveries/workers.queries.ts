import type { DataSource } from 'typeorm';
import type { ReservedConnection } from '../../platform/database/reserved-connection';
import { query, sql } from '../../platform/database/sql';

/** Seconds without a heartbeat after which a worker counts as gone. */
export const GONE_AFTER = 15;

/** A worker, known by its heartbeat every second. */
export interface WorkerView {
  id: string;
  host: string;
  pid: number;
  queue: 'redis' | 'postgres';
  /** Whether the queue accepted the worker's last message. */
  queueAnswers: boolean;
  startedAt: Date;
  seenAt: Date;
  /** False if it was killed, or could not reach its database, for `GONE_AFTER`. */
  alive: boolean;
}

/** Their times are the database's, so that no clock of a worker counts. */
export function listWorkers(database: DataSource): Promise<WorkerView[]> {
  return query(
    database,
    sql`SELECT id, host, pid, queue, queue_answers AS "queueAnswers",
        started_at AS "startedAt",
        seen_at AS "seenAt", seen_at > now() - ${GONE_AFTER} * interval '1 second' AS alive
      FROM webhook_workers ORDER BY started_at`,
  );
}

export async function beat(
  database: ReservedConnection,
  { id, host, pid, queue, queueAnswers }: Omit<WorkerView, 'startedAt' | 'seenAt' | 'alive'>,
): Promise<void> {
  await database.query(sql`
    INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
    VALUES (${id}, ${host}, ${pid}, ${queue}, ${queueAnswers}, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), queue_answers = excluded.queue_answers`);
}

export async function deleteWorker(database: ReservedConnection, id: string): Promise<void> {
  await database.query(sql`DELETE FROM webhook_workers WHERE id = ${id}`);
}

/** A killed worker is shown as gone for an hour. */
export async function deleteGoneWorkers(database: DataSource): Promise<void> {
  await query(database, sql`DELETE FROM webhook_workers WHERE seen_at < now() - interval '1 hour'`);
}
