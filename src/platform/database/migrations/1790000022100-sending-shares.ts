import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sending capacity is shared by account: a row knows its queue, and an endpoint whether it was slow lately. */
export class SendingShares1790000022100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- While it has a slot: the queue of its job. Null of those that an older version has queued.
ALTER TABLE webhook_deliveries ADD COLUMN queue text;
-- A successful attempt took long: until then its first attempts have a queue of their own.
ALTER TABLE webhook_endpoints ADD COLUMN slow_until timestamptz;
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE webhook_deliveries DROP COLUMN queue;
ALTER TABLE webhook_endpoints DROP COLUMN slow_until;
`);
  }
}
