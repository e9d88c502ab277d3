import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The database orders subscriptions and events, by the moment that it stores each. Times of the processes did so
 * before, and an API whose clock was behind lost the events of every new endpoint.
 */
export class SubscriptionOrder1790000024000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`LOCK TABLE outbox_events, webhook_endpoints IN ACCESS EXCLUSIVE MODE`);
    // now() is the same for all rows, so that neither table is rewritten.
    for (const table of ['webhook_endpoints', 'outbox_events']) {
      await db.query(
        `ALTER TABLE ${table} ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now()`,
      );
      await db.query(`ALTER TABLE ${table} ALTER COLUMN stored_at SET DEFAULT clock_timestamp()`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE webhook_endpoints DROP COLUMN stored_at;
ALTER TABLE outbox_events DROP COLUMN stored_at;`);
  }
}
