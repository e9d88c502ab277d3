import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The owner of an endpoint can dismiss the notice about it. */
export class EndpointNotices1790000026000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
-- when its owner dismissed the notice that it fails, was disabled, or has failed deliveries
ALTER TABLE webhook_endpoints ADD COLUMN notice_dismissed_at timestamptz;
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE webhook_endpoints DROP COLUMN notice_dismissed_at`);
  }
}
