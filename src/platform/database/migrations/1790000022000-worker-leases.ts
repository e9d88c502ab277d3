import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A lease names the worker that holds it, and is released when that worker's heartbeat stops. Of a job that the
 * queue has lost, the row counts how often it was added again.
 */
export class WorkerLeases1790000022000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- Null of a lease that a worker of an older version holds.
ALTER TABLE webhook_deliveries ADD COLUMN leased_by uuid, ADD COLUMN requeued integer NOT NULL DEFAULT 0;
CREATE INDEX webhook_deliveries_leased_idx ON webhook_deliveries (leased_by) WHERE state = 'leased';
-- The beginning of its uninterrupted heartbeat: a worker that could not reach the database judges nobody.
ALTER TABLE webhook_workers ADD COLUMN steady_since timestamptz NOT NULL DEFAULT now();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP INDEX webhook_deliveries_leased_idx;
ALTER TABLE webhook_deliveries DROP COLUMN leased_by, DROP COLUMN requeued;
ALTER TABLE webhook_workers DROP COLUMN steady_since;
`);
  }
}
